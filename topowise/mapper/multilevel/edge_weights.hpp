// SPDX-License-Identifier: BSD-3-Clause
// The weight of the edges of one vertex to each block. Gathered anew for every vertex that is looked at, so the blocks
// it has nothing to do with must not cost anything.
#pragma once

#include <span>
#include <vector>

#include <topowise/mapper/problem/csr_graph.hpp>

namespace topowise::multilevel {

class EdgeWeights {
 public:
  explicit EdgeWeights(std::size_t blocks) : weight_(blocks, 0.0) {}

  void gather(const Graph& graph, std::span<const int> block_of, GuestVertex v) {
    for (const int block : touched_) weight_[static_cast<std::size_t>(block)] = 0.0;
    touched_.clear();
    for (const Arc& arc : graph.arcs_of(v)) {
      const int block = block_of[static_cast<std::size_t>(arc.to)];
      double& weight = weight_[static_cast<std::size_t>(block)];
      if (weight == 0.0) touched_.push_back(block);
      weight += arc.weight;
    }
  }

  [[nodiscard]] double operator[](int block) const { return weight_[static_cast<std::size_t>(block)]; }
  /// Blocks with a neighbour of the vertex, each once.
  [[nodiscard]] std::span<const int> touched() const { return touched_; }

  /// What the vertex' edges cost if it is in `block`; for the edge cut, this less the sum of their weights, which is
  /// the same everywhere.
  template <class Cost>
  [[nodiscard]] double cost_at(int block, const Cost& cost) const {
    if constexpr (Cost::kIsCut) return -(*this)[block];
    double sum = 0;
    for (const int other : touched_) sum += (*this)[other] * cost(block, other);
    return sum;
  }

 private:
  std::vector<double> weight_;
  std::vector<int> touched_;
};

}  // namespace topowise::multilevel
