// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/constrained/seating.hpp>

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

std::vector<Place> seats(const MapProblem& problem) {
  if (problem.loads.empty()) return slots(problem);
  const std::vector<bool> fixed = is_fixed(problem);
  std::vector<std::int64_t> free_loads;
  for (std::size_t r = 0; r < fixed.size(); ++r) {
    if (!fixed[r]) free_loads.push_back(problem.loads[r]);
  }
  const std::vector<std::int64_t> lightest = sums_of_lightest(std::move(free_loads));
  std::vector<Place> result;
  for (const Room& room : rooms(problem)) {
    auto left = static_cast<std::int64_t>(room.capacity);
    std::size_t there = 0;
    for (const auto& [rank, place] : problem.fixed) {
      if (place != room.place) continue;
      left -= problem.loads[rank.index()];
      ++there;
    }
    result.insert(result.end(), there + most_within(lightest, left), room.place);
  }
  return result;
}

SlotOfRank seated(const MapProblem& problem, std::span<const Place> seats, const Mapping& mapping) {
  std::vector<std::uint32_t> next(problem.topology.place_count(), 0);  // first free slot of a place
  for (std::size_t s = seats.size(); s > 0; --s) next[seats[s - 1].index()] = static_cast<std::uint32_t>(s - 1);
  SlotOfRank slot_of_rank(mapping.ranks());
  for (const auto& [rank, place] : problem.fixed) slot_of_rank[rank.index()] = next[place.index()]++;
  const std::vector<bool> fixed = is_fixed(problem);
  for (std::size_t r = 0; r < mapping.ranks(); ++r) {
    if (!fixed[r]) slot_of_rank[r] = next[mapping[Rank(r)].index()]++;
  }
  return slot_of_rank;
}

Restrictions restrictions(const MapProblem& problem, const SlotOfRank& seated) {
  Restrictions result;
  for (const auto& [rank, place] : problem.fixed)
    result.fixed.emplace_back(static_cast<std::uint32_t>(rank.index()), seated[rank.index()]);
  if (problem.loads.empty()) return result;
  result.loads = problem.loads;
  result.bearable.assign(problem.topology.place_count(), 0);
  for (const Room& room : rooms(problem))
    result.bearable[room.place.index()] = static_cast<std::int64_t>(room.capacity);
  return result;
}

MapProblem relaxed(const MapProblem& problem) {
  MapProblem free = problem;
  free.fixed.clear();
  if (problem.loads.empty()) return free;
  std::size_t largest = 0;
  for (const Room& room : rooms(problem)) largest = std::max(largest, room.capacity);
  const std::vector<std::int64_t> lightest = sums_of_lightest({problem.loads.begin(), problem.loads.end()});
  const std::size_t most = most_within(lightest, static_cast<std::int64_t>(largest));
  free.loads.clear();
  free.imbalance.reset();
  free.ranks_per_place = std::max(static_cast<int>(most), 1);
  return free;
}

}  // namespace topowise
