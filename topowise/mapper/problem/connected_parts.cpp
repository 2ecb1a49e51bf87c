// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/connected_parts.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

std::vector<std::vector<Place>> connected_parts(const MapProblem& problem) {
  const Topology& topology = problem.topology;
  const auto is_infinite = [](double distance) { return std::isinf(distance); };
  const bool whole =
      topology.has_pair_matrix(Metric::distance) || std::ranges::none_of(topology.level_distances(), is_infinite);
  std::vector<std::vector<Place>> parts;
  for (const PlaceCapacity& each : place_capacities(problem)) {
    const auto reaches = [&](const std::vector<Place>& part) {
      return whole || !is_infinite(topology.distance(part.front(), each.place));
    };
    const auto part = std::ranges::find_if(parts, reaches);
    if (part == parts.end())
      parts.push_back({each.place});
    else
      part->push_back(each.place);
  }
  return parts;
}

bool is_connected(const Traffic& traffic) {
  DisjointSets sets(traffic.ranks());
  std::optional<std::size_t> first;
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.bytes == Bytes()) continue;
    sets.join(entry.source.index(), entry.destination.index());
    first = first.value_or(entry.source.index());
  }
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.bytes != Bytes() && sets.find(entry.source.index()) != sets.find(*first)) return false;
  }
  return true;
}

}  // namespace topowise
