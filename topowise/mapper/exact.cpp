// SPDX-License-Identifier: BSD-3-Clause
// Three searches under one name.
//
// - A machine that is a hierarchy, and at most 20 ranks: dynamic programming over sets of ranks (subset_mapping.cpp),
//   for both objectives. 16 ranks on 16 places take milliseconds whatever the traffic is.
// - hop-bytes elsewhere: branch and bound on the quadratic assignment problem (branch_and_bound.cpp).
// - max congestion elsewhere: branch and bound on link loads (congestion_search.cpp).
//
// The latter two start from what a short local search finds, and are any-time: at their end they give the best mapping
// and the bound that is proven by then.
#include <topowise/mapper/exact.hpp>

#include <algorithm>

#include <topowise/mapper/branch_and_bound.hpp>
#include <topowise/mapper/congestion_search.hpp>
#include <topowise/mapper/improve.hpp>
#include <topowise/mapper/instance.hpp>
#include <topowise/mapper/lower_bound.hpp>
#include <topowise/mapper/robust_tabu.hpp>
#include <topowise/mapper/subset_mapping.hpp>

namespace topowise {
namespace {

// What a current core does or less, so that counts end a search and not the clock.
constexpr double kSplitsPerSecond = 2e8;
constexpr double kRelaxationEntriesPerSecond = 2e8;
constexpr double kCongestionNodesPerSecond = 1e4;
constexpr double kSecondsForPair = 1e-3;     // of the search for a start, by pairs of ranks
constexpr double kTabuPairsPerSecond = 4e6;  // of the whole time limit: a start, not the search

double work(const MapProblem& problem) {
  return problem.time_limit.value() * problem.effort;
}

std::optional<MapperAnswer> by_subsets(const MapProblem& problem, const Deadline& deadline) {
  if (problem.traffic.ranks() > kMostSubsetRanks) return std::nullopt;
  const std::optional<Hierarchy> machine = find_hierarchy(problem);
  if (!machine) return std::nullopt;
  if (subset_mapping_work(*machine, problem.traffic.ranks()) > work(problem) * kSplitsPerSecond) return std::nullopt;
  std::optional<Mapping> mapping = subset_mapping(*machine, problem.traffic, deadline);
  if (!mapping) return std::nullopt;
  const double cost = cost_of(problem, *mapping);
  return MapperAnswer{.mapping = std::move(*mapping), .cost = cost, .lower_bound = cost, .proven_optimal = true};
}

MapperAnswer by_relaxation(const MapProblem& problem, const Deadline& deadline) {
  const Instance instance = make_instance(problem);
  const double size = static_cast<double>(instance.ranks * instance.slots);
  const double at_least = quick_lower_bound(problem);
  SlotOfRank start(instance.ranks);
  for (std::uint32_t rank = 0; rank < instance.ranks; ++rank) start[rank] = rank;
  const double pairs = std::max(1.0, size);
  const double iterations = std::min(100 + 10 * size, work(problem) * kTabuPairsPerSecond / pairs);
  const TabuLimits limits{.iterations = static_cast<std::size_t>(iterations), .target = at_least, .seed = problem.seed};
  TabuResult found = robust_tabu(instance, std::move(start), limits, deadline);
  SearchResult result{.slot_of_rank = std::move(found.slot_of_rank), .cost = found.cost, .lower_bound = at_least};
  if (found.cost > at_least && instance.ranks * instance.slots <= kLargestRelaxation) {
    const double nodes = work(problem) * kRelaxationEntriesPerSecond / (size * size);
    result = branch_and_bound(instance, std::move(result.slot_of_rank), static_cast<std::size_t>(nodes) + 1, deadline);
    result.lower_bound = std::max(result.lower_bound, at_least);
  }
  return {.mapping = to_mapping(instance.place_of_slot, result.slot_of_rank),
          .cost = result.cost,
          .lower_bound = std::min(result.lower_bound, result.cost),
          .proven_optimal = result.lower_bound >= result.cost};
}

}  // namespace

MapperAnswer map_exact(const MapProblem& problem) {
  const Deadline deadline(problem.time_limit);
  if (std::optional<MapperAnswer> answer = by_subsets(problem, deadline)) return *answer;
  if (problem.objective == Objective::hop_bytes) {
    constexpr std::size_t kLargestInstance = 2048;  // slots: beyond that the matrices do not fit
    const std::vector<Place> all = slots(problem);
    if (all.size() <= kLargestInstance) return by_relaxation(problem, deadline);
  }
  const double at_least = quick_lower_bound(problem);
  const double ranks = static_cast<double>(problem.traffic.ranks());
  const Seconds for_start(std::min(problem.time_limit.value() / 8, kSecondsForPair * ranks * ranks));
  Improved start = improve(problem, fill_in_order(problem), for_start, at_least, deadline);
  if (problem.objective == Objective::hop_bytes)
    return {.mapping = std::move(start.mapping),
            .cost = start.cost,
            .lower_bound = at_least,
            .proven_optimal = start.cost <= at_least};
  const auto nodes = static_cast<std::size_t>(work(problem) * kCongestionNodesPerSecond);
  return congestion_search(problem, start.mapping, nodes, deadline);
}

}  // namespace topowise
