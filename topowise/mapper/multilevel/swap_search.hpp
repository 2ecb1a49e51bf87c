// SPDX-License-Identifier: BSD-3-Clause
// Local search by exchanging two ranks, for machines where every place is taken and no single move is possible. There
// are few candidates: a rank gains where its partners are, so it is exchanged with the ranks of their blocks and of the
// blocks nearest to these, as in the sparse neighbourhoods of Brandfass, Alrutz and Gerhold, "Rank reordering for MPI
// communication optimization" (Computers & Fluids 80, 2013) and Schulz and Traeff, "Better process mapping and sparse
// quadratic assignment" (SEA 2017). A gain costs O(partners).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>
#include <topowise/mapper/problem/deadline.hpp>

namespace topowise::multilevel {

template <class Cost>
class SwapSearch {
 public:
  /// `near` has an arc from a block to each block that counts as near to it; without it only the partners' own blocks
  /// are tried. All vertices must have load 1.
  SwapSearch(const Graph& graph, const Cost& cost, std::size_t blocks, const Graph* near, std::vector<int>& block_of)
      : graph_(graph), cost_(cost), near_(near), block_of_(block_of), members_(blocks) {
    for (std::size_t v = 0; v < block_of.size(); ++v)
      members_[static_cast<std::size_t>(block_of[v])].push_back(static_cast<GuestVertex>(v));
  }

  /// Sweeps until no candidate gains, at most `sweeps` times. Returns by how much the cost fell.
  double run(int sweeps, const Deadline& deadline, Random& random) {
    std::vector<GuestVertex> order(block_of_.size());
    for (std::size_t v = 0; v < order.size(); ++v) order[v] = static_cast<GuestVertex>(v);
    double sum = 0;
    for (int sweep = 0; sweep < sweeps && !deadline.passed(); ++sweep) {
      random.shuffle(std::span(order));
      double gained = 0;
      for (std::size_t i = 0; i < order.size() && !(i % 256 == 0 && deadline.passed()); ++i)
        gained += improve(order[i]);
      sum += gained;
      if (gained <= 0) break;
    }
    return sum;
  }

 private:
  static constexpr std::size_t kMostTried = 8;  ///< blocks with a rank's partners, those of the heaviest first
  struct Tie {
    int block;
    double weight;
  };
  struct Best {
    double gain = 0;
    GuestVertex partner = -1;
  };

  void add_block(int block, double weight) {
    const auto found = std::ranges::find(blocks_, block, &Tie::block);
    if (found == blocks_.end()) {
      blocks_.push_back({block, weight});
    } else {
      found->weight += weight;
    }
  }

  double improve(GuestVertex v) {
    blocks_.clear();
    for (const Arc& arc : graph_.arcs_of(v)) add_block(block_of_[static_cast<std::size_t>(arc.to)], arc.weight);
    if (blocks_.size() > kMostTried) {
      std::ranges::nth_element(blocks_, blocks_.begin() + kMostTried, [](const Tie& a, const Tie& b) {
        return a.weight > b.weight || (a.weight == b.weight && a.block < b.block);
      });
      blocks_.resize(kMostTried);
    }
    Best best;
    for (const Tie& tie : blocks_) {
      try_members(v, tie.block, best);
      if (near_ == nullptr) continue;
      for (const Arc& next : near_->arcs_of(tie.block)) try_members(v, next.to, best);
    }
    if (best.partner < 0) return 0;
    exchange(v, best.partner);
    return best.gain;
  }

  void try_members(GuestVertex v, int block, Best& best) const {
    if (block == block_of_[static_cast<std::size_t>(v)]) return;
    const int own = block_of_[static_cast<std::size_t>(v)];
    const double mine = gain_of(v, block);
    if (mine <= 0) return;  // if the other gains more than v loses, it finds this exchange itself
    for (const GuestVertex other : members_[static_cast<std::size_t>(block)]) {
      const double gain = mine + gain_of(other, own) - correction(v, other);
      if (gain > best.gain) best = {gain, other};
    }
  }

  /// The gain of moving v while all others stay.
  [[nodiscard]] double gain_of(GuestVertex v, int to) const {
    const int from = block_of_[static_cast<std::size_t>(v)];
    double gain = 0;
    for (const Arc& arc : graph_.arcs_of(v)) {
      const int there = block_of_[static_cast<std::size_t>(arc.to)];
      gain += arc.weight * (cost_(from, there) - cost_(to, there));
    }
    return gain;
  }

  /// Both gains count the edge between the two as if it became short; in fact both ends move.
  [[nodiscard]] double correction(GuestVertex v, GuestVertex other) const {
    const int a = block_of_[static_cast<std::size_t>(v)];
    const int b = block_of_[static_cast<std::size_t>(other)];
    for (const Arc& arc : graph_.arcs_of(v)) {
      if (arc.to == other) return arc.weight * (2 * cost_(a, b) - cost_(a, a) - cost_(b, b));
    }
    return 0;
  }

  void exchange(GuestVertex v, GuestVertex other) {
    int& a = block_of_[static_cast<std::size_t>(v)];
    int& b = block_of_[static_cast<std::size_t>(other)];
    std::ranges::replace(members_[static_cast<std::size_t>(a)], v, other);
    std::ranges::replace(members_[static_cast<std::size_t>(b)], other, v);
    std::swap(a, b);
  }

  const Graph& graph_;
  const Cost& cost_;
  const Graph* near_;
  std::vector<int>& block_of_;
  std::vector<std::vector<GuestVertex>> members_;
  std::vector<Tie> blocks_;  ///< of the partners of the rank looked at
};

}  // namespace topowise::multilevel
