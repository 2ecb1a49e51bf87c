// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exact/k_subsets.hpp>

#include <algorithm>

namespace topowise {
namespace {

constexpr std::size_t kLowRanks = 16;

/// Binomials that do not fit into a number belong to sets that are too many for a KSubsets.
template <class Rows>
constexpr Rows pascal() {
  Rows rows{};
  for (std::size_t n = 0; n < rows.size(); ++n) {
    rows[n][0] = 1;
    for (std::size_t k = 1; n > 0 && k < rows[n].size(); ++k) rows[n][k] = rows[n - 1][k - 1] + rows[n - 1][k];
  }
  return rows;
}

}  // namespace

constexpr std::array<KSubsets::Row, KSubsets::kMostRanks> KSubsets::kBinomials =
    pascal<std::array<KSubsets::Row, KSubsets::kMostRanks>>();

double KSubsets::count(std::size_t n, std::size_t k) {
  double count = 1;
  for (std::size_t i = 0; i < k; ++i) count = count * static_cast<double>(n - i) / static_cast<double>(i + 1);
  return count;
}

KSubsets::KSubsets(std::size_t n, std::size_t k) : k_(k), size_(static_cast<std::size_t>(count(n, k))) {
  const std::size_t low_ranks = std::min(n, kLowRanks);
  for (std::uint32_t low = 0; low < (std::uint32_t{1} << low_ranks); ++low) {
    const auto ranks = static_cast<std::size_t>(std::popcount(low));
    if (ranks <= k) lows_[ranks].push_back(static_cast<std::uint16_t>(low));
  }
  add_runs(n, low_ranks, 0, 0, 0);
}

/// Chooses the ranks from the largest down: `high` has `taken` of them, which add `number`, and goes on below `n`.
void KSubsets::add_runs(std::size_t n, std::size_t most, RankSet high, std::size_t taken, std::size_t number) {
  const std::size_t left = k_ - taken;
  if (left <= most)
    runs_.push_back(
        {.high = high, .first = static_cast<std::uint32_t>(number), .low_size = static_cast<std::uint8_t>(left)});
  if (left == 0) return;
  for (std::size_t rank = kLowRanks; rank < n; ++rank)
    add_runs(rank, most, high | RankSet{1} << rank, taken + 1, number + kBinomials[rank][left]);
}

}  // namespace topowise
