// SPDX-License-Identifier: BSD-3-Clause
// A lower bound of the cost of cutting all ranks into sets that each have a cost.
#pragma once

#include <span>
#include <vector>

#include <topowise/mapper/exact/k_subsets.hpp>
#include <topowise/mapper/problem/deadline.hpp>

namespace topowise {

/// Prices of ranks: a set is worth the prices of its ranks. Whatever they are, sets that hold each rank once cost at
/// least bound() together, and each is at least `least` dearer than its worth.
struct RankPrices {
  std::vector<double> price;  ///< by rank
  double least = 0;           ///< of cost - worth, over all sets

  [[nodiscard]] double worth(RankSet set) const {
    double worth = 0;
    for (; set != 0; set &= set - 1) worth += price[lowest_rank(set)];
    return worth;
  }
  [[nodiscard]] double bound(std::size_t groups) const;
};

struct PriceSearch {
  double target = 0;       ///< what some cut costs: prices cannot give more
  std::size_t rounds = 0;  ///< each looks at all sets
  int threads = 1;         ///< the result does not depend on it
};

/// The best prices found, whose bound is near that of the linear program of the cut. `costs` is by number of the set.
[[nodiscard]] RankPrices find_prices(const KSubsets& sets, std::span<const double> costs, std::size_t ranks,
                                     const PriceSearch& search, const Deadline& deadline);

struct PricedSet {
  RankSet set = 0;
  double excess = 0;  ///< cost - worth - least, not below 0 but for rounding
};
/// All sets with an excess of at most `most`, in order of their numbers; empty if there are more than `limit`.
[[nodiscard]] std::vector<PricedSet> cheap_sets(const KSubsets& sets, std::span<const double> costs,
                                                const RankPrices& prices, double most, std::size_t limit);

}  // namespace topowise
