// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/constrained/constrained_slots.hpp>

#include <algorithm>
#include <numeric>

namespace topowise {
namespace {

/// [k]: load of the k + 1 lightest ranks of those given.
std::vector<std::int64_t> sums_of_lightest(std::vector<std::int64_t> loads) {
  std::ranges::sort(loads);
  std::partial_sum(loads.begin(), loads.end(), loads.begin());
  return loads;
}

std::size_t most_within(std::span<const std::int64_t> sums, std::int64_t capacity) {
  return static_cast<std::size_t>(std::ranges::upper_bound(sums, capacity) - sums.begin());
}

std::vector<bool> is_fixed(const MapProblem& problem) {
  std::vector<bool> fixed(problem.traffic.ranks(), false);
  for (const auto& [rank, place] : problem.fixed) fixed[rank.index()] = true;
  return fixed;
}

}  // namespace

std::vector<Place> slots_to_bear(const MapProblem& problem) {
  if (problem.loads.empty()) return slots(problem);
  const std::vector<bool> fixed = is_fixed(problem);
  std::vector<std::int64_t> free_loads;
  for (std::size_t r = 0; r < fixed.size(); ++r) {
    if (!fixed[r]) free_loads.push_back(problem.loads[r]);
  }
  const std::vector<std::int64_t> lightest = sums_of_lightest(std::move(free_loads));
  std::vector<Place> result;
  for (const PlaceCapacity& each : place_capacities(problem)) {
    auto left = static_cast<std::int64_t>(each.capacity);
    std::size_t there = 0;
    for (const auto& [rank, place] : problem.fixed) {
      if (place != each.place) continue;
      left -= problem.loads[rank.index()];
      ++there;
    }
    result.insert(result.end(), there + most_within(lightest, left), each.place);
  }
  return result;
}

Restrictions restrictions(const MapProblem& problem, const SlotOfRank& slot_of_rank) {
  Restrictions result;
  for (const auto& [rank, place] : problem.fixed)
    result.fixed.emplace_back(static_cast<std::uint32_t>(rank.index()), slot_of_rank[rank.index()]);
  if (problem.loads.empty()) return result;
  result.loads = problem.loads;
  result.bearable.assign(problem.topology.place_count(), 0);
  for (const PlaceCapacity& each : place_capacities(problem))
    result.bearable[each.place.index()] = static_cast<std::int64_t>(each.capacity);
  return result;
}

MapProblem relaxed(const MapProblem& problem) {
  MapProblem free = problem;
  free.fixed.clear();
  if (problem.loads.empty()) return free;
  std::size_t largest = 0;
  for (const PlaceCapacity& each : place_capacities(problem)) largest = std::max(largest, each.capacity);
  const std::vector<std::int64_t> lightest = sums_of_lightest({problem.loads.begin(), problem.loads.end()});
  const std::size_t most = most_within(lightest, static_cast<std::int64_t>(largest));
  free.loads.clear();
  free.imbalance.reset();
  free.ranks_per_place = std::max(static_cast<int>(most), 1);
  return free;
}

}  // namespace topowise
