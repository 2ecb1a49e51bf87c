// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/uniform_levels.hpp>

#include <algorithm>

namespace topowise {

std::vector<UniformLevel> uniform_levels(const MapProblem& problem, std::span<const PlaceCapacity> places) {
  const Topology& topology = problem.topology;
  const std::span<const int> arities = topology.arities();
  const bool whole = places.size() == topology.place_count() &&
                     std::ranges::all_of(
                         places, [&](const PlaceCapacity& place) { return place.capacity == places.front().capacity; });
  if (!whole || arities.empty() || topology.has_pair_matrix(problem.metric)) return {};
  std::vector<UniformLevel> levels;
  std::size_t reach = 1;
  for (std::size_t up = arities.size(); up > 0; --up) {
    const std::size_t wider = reach * static_cast<std::size_t>(arities[up - 1]);
    if (wider > reach) levels.push_back({reach, wider, topology.pair_cost(problem.metric, Place(0), Place(reach))});
    reach = wider;
  }
  return levels;
}

}  // namespace topowise
