// SPDX-License-Identifier: BSD-3-Clause
// Knows the other mappers. Where `exact` may finish, it gets most of the time; if it proves its answer, that is the
// answer. Otherwise all constructions compete, the best is improved by local search, and the best of everything wins;
// of equals the earlier one, so the identity stays where nothing gains. The lower bound is the best of all.
#include <topowise/mapper/map_auto.hpp>

#include <algorithm>
#include <span>

#include <topowise/base/error.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/constrained/constrained.hpp>
#include <topowise/mapper/construct/cyclic.hpp>
#include <topowise/mapper/construct/greedy.hpp>
#include <topowise/mapper/construct/grid.hpp>
#include <topowise/mapper/construct/identity.hpp>
#include <topowise/mapper/construct/scotch.hpp>
#include <topowise/mapper/exact/subset_mapping.hpp>
#include <topowise/mapper/map_exact.hpp>
#include <topowise/mapper/multilevel/multilevel.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/ultrametric.hpp>
#include <topowise/mapper/search/improve.hpp>

namespace topowise {
namespace {

/// On a hierarchy multisection leaves local search little to do; elsewhere it only gives it a start.
bool is_hierarchy(const MapProblem& problem) {
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  if (all.size() > Topology::kLargestDense) return true;
  constexpr std::size_t kFew = 64;  // they show it on most machines that are none; all distances take longer to find
  for (const std::size_t count : {std::min(kFew, all.size()), all.size()}) {
    const auto some = std::span(all).first(count);
    if (!is_ultrametric(pair_distances(problem, some), count)) return false;
  }
  return true;
}

/// Scotch is one of several here: without the library the others do.
std::optional<MapperAnswer> map_scotch_if_there(const MapProblem& problem, const Budget& budget) {
  try {
    return map_scotch(problem, budget);
  } catch (const Error& error) {
    if (error.status() != ExitStatus::not_available) throw;
    return std::nullopt;
  }
}

}  // namespace

MapperAnswer map_auto(const MapProblem& problem, const Budget& budget) {
  if (!problem.loads.empty()) return map_multilevel(problem, budget);
  MapperAnswer best = map_identity(problem, budget);
  best.cost = cost_of(problem, best.mapping);
  const auto compete = [&](MapperAnswer answer) {
    answer.cost = cost_of(problem, answer.mapping);
    const double bound = std::max(best.lower_bound, answer.lower_bound);
    if (answer.cost < best.cost) best = std::move(answer);
    best.lower_bound = bound;
  };
  const auto next = [&](std::string_view step) { budget.tell({best.cost, best.lower_bound, step}); };
  best.lower_bound = quick_lower_bound(problem);
  if (worth_exact(problem) && best.cost > best.lower_bound) {
    next("exact");
    MapperAnswer exact = map_exact(problem, budget.stage(problem.traffic.ranks() <= kMostSubsetRanks ? 0.8 : 0.4));
    const bool proven = exact.proven_optimal;
    compete(std::move(exact));
    best.proven_optimal = proven;
    if (proven) return best;
  }
  next("lower bound");
  best.lower_bound = std::max(best.lower_bound, lower_bound(problem, budget));
  if (best.cost > best.lower_bound) {
    next("greedy");
    for (const auto mapper : {map_cyclic, map_greedy}) compete(mapper(problem, budget));
    next("grid");
    if (std::optional<MapperAnswer> grid = map_grid_if_there(problem, budget.deadline())) compete(std::move(*grid));
    next("scotch");
    if (std::optional<MapperAnswer> scotch = map_scotch_if_there(problem, budget)) compete(std::move(*scotch));
    next("multilevel");
    compete(map_multilevel(problem, budget.leaving(budget.deadline().left() * 0.25)));
    next("local search");
    // Of the whole limit, not of what is left of it: how long a search is must not depend on the clock.
    const Seconds share = budget.time() * (is_hierarchy(problem) ? 0.025 : 0.4);
    Improved improved = improve(problem, best.mapping, budget.counting(share), best.lower_bound);
    compete({.mapping = std::move(improved.mapping)});
  }
  best.proven_optimal = best.cost <= best.lower_bound;
  best.bounded = true;
  return best;
}

}  // namespace topowise
