// SPDX-License-Identifier: BSD-3-Clause
// Vertices that may move, one priority queue a block, and which block has the best of all.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include <topowise/mapper/problem/csr_graph.hpp>

namespace topowise::multilevel {

/// Gains as whole numbers in the same order, never 0, so that a heap compares one number only: the sign, the exponent
/// and 28 bits of the fraction (differences below that are rounding), above kTieBits free bits.
inline constexpr int kTieBits = 24;
[[nodiscard]] inline std::uint64_t gain_key(double gain) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(gain + 0.0);  // -0 is 0
  return ((bits & kSign) != 0 ? ~bits : bits | kSign) >> kTieBits << kTieBits;
}

/// A candidate move. It is out of date once the vertex has a newer version, which the user of the queue knows.
struct Candidate {
  std::uint64_t key = 0;  ///< gain_key() and a random tie: among equal gains the order of the vertices must not matter
  GuestVertex vertex = 0;
  std::uint32_t version = 0;
};
[[nodiscard]] inline std::uint64_t gain_key_of(const Candidate& candidate) {
  return candidate.key >> kTieBits << kTieBits;
}

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

  std::vector<std::vector<Candidate>> heaps_;
  std::vector<std::uint64_t> best_key_;  ///< of each block; 0 if it is empty
  std::vector<int> winner_;              ///< of each match, the final in [1]; the blocks' own entries from [leaves_] on
  std::size_t leaves_ = 1;
  std::vector<int> used_;
};

}  // namespace topowise::multilevel
