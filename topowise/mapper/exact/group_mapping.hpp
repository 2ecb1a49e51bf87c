// SPDX-License-Identifier: BSD-3-Clause
// The best mapping onto a few compute nodes that are alike, by the costs of all sets of ranks that may fill one.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <topowise/mapper/exact/group_costs.hpp>
#include <topowise/mapper/exact/k_subsets.hpp>
#include <topowise/mapper/problem/budget.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/hierarchy.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

// All ways to halve the ranks that little traffic crosses.

/// A function that is given the half with rank 0 and the bytes that cross, and returns the most bytes that may cross
/// from then on.
using HalfVisit = std::function<double(RankSet half, double crossing)>;

/// Visits every half that at most `most` bytes cross; once visit() was called, at most what it returned last. Returns
/// how many branches of the search tree were looked at; if that is above `limit`, not all halves were visited. Needs an
/// even number of ranks.
std::size_t visit_cheap_halves(const PairBytes& bytes, double most, std::size_t limit, const Deadline& deadline,
                               const HalfVisit& visit);

/// The levels of a machine as group_mapping() takes them apart.
struct GroupPlan {
  std::size_t node_levels = 0;  ///< the lowest ones, whose tables are filled; above are the machine or two halves of it
  double work = 0;              ///< splits of sets that fill the tables
  double sets = 0;              ///< that may fill a node
};

/// Nothing if the machine has other levels than group_mapping() knows, places that stay empty, or too many sets.
[[nodiscard]] std::optional<GroupPlan> plan_groups(const Hierarchy& machine, std::size_t ranks);

/// Hop-bytes, without fixed ranks and loads. Starts from a known mapping. Ends with an optimal one, or with the best
/// one found and a lower bound: then a mapping may exist that costs as little as the bound. `step` is that of
/// cost_step(). Needs a plan, whose tables fit into the budget.
[[nodiscard]] MapperAnswer group_mapping(const Hierarchy& machine, const GroupPlan& plan, const MapProblem& problem,
                                         const MapperAnswer& start, double step, const Budget& budget);

// A lower bound of the cost of cutting all ranks into sets that each have a cost.

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
