// SPDX-License-Identifier: BSD-3-Clause
// The sets of k of n ranks, numbered. The number of the set {a < b < c < ...} is binomial(a, 1) + binomial(b, 2) +
// binomial(c, 3) + ...: the order of sets as binary numbers (combinatorial number system; Knuth, TAOCP 4A, 7.2.1.3).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace topowise {

/// A set of ranks: bit r is set if rank r is in it.
using RankSet = std::uint64_t;

[[nodiscard]] inline std::size_t lowest_rank(RankSet set) {
  return static_cast<std::size_t>(std::countr_zero(set));
}

class KSubsets {
 public:
  static constexpr std::size_t kMostRanks = 64;
  static constexpr std::size_t kLargestSet = 8;

  /// Sets with the same ranks from 16 on. They have numbers in a row, in the order of their lower ranks.
  struct Run {
    RankSet high = 0;
    std::uint32_t first = 0;    ///< number of its first set
    std::uint8_t low_size = 0;  ///< ranks below 16 of each
  };

  /// Needs k <= n <= kMostRanks, 1 <= k <= kLargestSet and fewer than 2^32 sets.
  KSubsets(std::size_t n, std::size_t k);

  /// binomial(n, k), as a floating-point number because it may be large.
  [[nodiscard]] static double count(std::size_t n, std::size_t k);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t set_size() const { return k_; }
  [[nodiscard]] std::span<const Run> runs() const { return runs_; }
  /// The lower ranks of the sets of a run, in order.
  [[nodiscard]] std::span<const std::uint16_t> lows(const Run& run) const { return lows_[run.low_size]; }
  /// The same for runs whose sets have `low_size` lower ranks, at most kLargestSet.
  [[nodiscard]] std::span<const std::uint16_t> lows_of_size(std::size_t low_size) const { return lows_[low_size]; }

  /// The number of a set of k ranks.
  [[nodiscard]] static std::size_t number(RankSet set) {
    std::size_t number = 0;
    for (std::size_t i = 1; set != 0; set &= set - 1, ++i) number += kBinomials[lowest_rank(set)][i];
    return number;
  }
  /// What the i-th smallest rank of a set adds to its number, i from 1.
  [[nodiscard]] static std::uint32_t share(std::size_t rank, std::size_t i) { return kBinomials[rank][i]; }

 private:
  using Row = std::array<std::uint32_t, kLargestSet + 1>;
  static const std::array<Row, kMostRanks> kBinomials;

  void add_runs(std::size_t n, std::size_t most, RankSet high, std::size_t taken, std::size_t number);

  std::size_t k_;
  std::size_t size_ = 0;
  std::vector<Run> runs_;
  std::array<std::vector<std::uint16_t>, kLargestSet + 1> lows_;  ///< by the number of lower ranks
};

}  // namespace topowise
