// SPDX-License-Identifier: BSD-3-Clause
// Moves ranks out of overfull blocks into any block with capacity left, which may be far away, where local search finds
// no way.
#pragma once

#include <algorithm>
#include <vector>

#include <topowise/mapper/multilevel/edge_weights.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>

namespace topowise::multilevel {

template <class Cost>
class Repair {
 public:
  Repair(const Graph& graph, const Cost& cost, std::span<const std::int64_t> capacity, std::vector<int>& block_of)
      : graph_(graph),
        cost_(cost),
        block_of_(block_of),
        left_(capacity.begin(), capacity.end()),
        edge_weights_(capacity.size()) {
    for (std::size_t v = 0; v < block_of.size(); ++v) left_[static_cast<std::size_t>(block_of[v])] -= graph.load[v];
  }

  /// Empties every block down to its capacity, as far as single vertices fit elsewhere.
  void run() {
    for (std::size_t b = 0; b < left_.size(); ++b) {
      bool progress = true;
      while (left_[b] < 0 && progress) progress = empty(static_cast<int>(b));
    }
  }

 private:
  struct Way {
    double loss;
    GuestVertex vertex;
    int to;
  };

  bool empty(int block) {
    const std::vector<int> targets = emptiest();
    std::vector<Way> ways;
    for (GuestVertex v = 0; v < graph_.size(); ++v) {
      if (block_of_[static_cast<std::size_t>(v)] == block) add_best_way(v, targets, ways);
    }
    const auto later = [](const Way& a, const Way& b) {
      return std::pair(a.loss, a.vertex) > std::pair(b.loss, b.vertex);
    };
    std::ranges::make_heap(ways, later);  // mostly only a few of very many are taken
    bool moved = false;
    while (!ways.empty() && left_[static_cast<std::size_t>(block)] < 0) {
      std::ranges::pop_heap(ways, later);
      const Way way = ways.back();
      ways.pop_back();
      const int load = graph_.load[static_cast<std::size_t>(way.vertex)];
      if (left_[static_cast<std::size_t>(way.to)] < load) continue;
      block_of_[static_cast<std::size_t>(way.vertex)] = way.to;
      left_[static_cast<std::size_t>(block)] += load;
      left_[static_cast<std::size_t>(way.to)] -= load;
      moved = true;
    }
    return moved;
  }

  /// A few blocks with the most capacity left.
  [[nodiscard]] std::vector<int> emptiest() const {
    constexpr std::size_t kFew = 16;
    std::vector<int> blocks;
    for (std::size_t b = 0; b < left_.size(); ++b) {
      if (left_[b] > 0) blocks.push_back(static_cast<int>(b));
    }
    const auto end = blocks.begin() + static_cast<std::ptrdiff_t>(std::min(kFew, blocks.size()));
    std::partial_sort(blocks.begin(), end, blocks.end(), [&](int a, int b) {
      return std::pair(-left_[static_cast<std::size_t>(a)], a) < std::pair(-left_[static_cast<std::size_t>(b)], b);
    });
    blocks.erase(end, blocks.end());
    return blocks;
  }

  void add_best_way(GuestVertex v, std::span<const int> targets, std::vector<Way>& ways) {
    edge_weights_.gather(graph_, block_of_, v);
    const int load = graph_.load[static_cast<std::size_t>(v)];
    const auto cost_at = [&](int block) { return edge_weights_.cost_at(block, cost_); };
    const double here = cost_at(block_of_[static_cast<std::size_t>(v)]);
    Way best{0, v, -1};
    const auto consider = [&](int block) {
      if (left_[static_cast<std::size_t>(block)] < load) return;
      const double loss = cost_at(block) - here;
      if (best.to < 0 || loss < best.loss) best = {loss, v, block};
    };
    for (const int block : edge_weights_.touched()) consider(block);
    for (const int block : targets) consider(block);
    if (best.to >= 0) ways.push_back(best);
  }

  const Graph& graph_;
  const Cost& cost_;
  std::vector<int>& block_of_;
  std::vector<std::int64_t> left_;
  EdgeWeights edge_weights_;
};

}  // namespace topowise::multilevel
