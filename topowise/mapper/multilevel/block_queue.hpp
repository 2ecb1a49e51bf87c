// SPDX-License-Identifier: BSD-3-Clause
// Vertices that may move, one priority queue a block, and which block has the best of all.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/mapper/multilevel/csr_graph.hpp>

namespace topowise::multilevel {

/// A wish to move. Out of date once the vertex has a newer version; the user of the queue knows.
struct Candidate {
  double gain = 0;
  std::uint32_t tie = 0;  ///< random: among equal gains the order of the vertices must not matter
  Node vertex = 0;
  std::uint32_t version = 0;

  [[nodiscard]] bool worse_than(const Candidate& other) const {
    return gain < other.gain || (gain == other.gain && tie < other.tie);
  }
};

/// Binary heaps under a tournament tree of their tops: push and pop in O(log vertices + log blocks).
class BlockQueue {
 public:
  explicit BlockQueue(int blocks);

  void push(int block, const Candidate& candidate);
  [[nodiscard]] bool empty(int block) const { return heaps_[static_cast<std::size_t>(block)].empty(); }
  [[nodiscard]] const Candidate& top(int block) const { return heaps_[static_cast<std::size_t>(block)].front(); }
  void pop(int block);
  /// Block of the best candidate of all; -1 if there is none.
  [[nodiscard]] int best_block() const { return winner_[1]; }
  void clear();

 private:
  void replay(int block);
  [[nodiscard]] int better(int a, int b) const;

  std::vector<std::vector<Candidate>> heaps_;
  std::vector<int> winner_;  ///< of each match, the final in [1]; the blocks' own entries from [leaves_] on
  std::size_t leaves_ = 1;
  std::vector<int> used_;
};

}  // namespace topowise::multilevel
