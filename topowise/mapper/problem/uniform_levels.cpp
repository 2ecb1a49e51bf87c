// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/uniform_levels.hpp>

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace topowise {
namespace {

/// Places of each compute node, if those of a node are side by side and all nodes have as many; else 0.
std::size_t places_of_node(const Topology& topology) {
  const std::size_t count = topology.place_count();
  const auto group = [&](std::size_t place) { return topology.group_without_network(Place(place)); };
  std::size_t each = 1;
  while (each < count && group(each) == group(0)) ++each;
  std::unordered_set<std::size_t> seen;
  for (std::size_t place = 0; place < count; ++place) {
    const std::optional<std::size_t> here = group(place);
    const bool is_first = place % each == 0;
    if (!here || (is_first ? !seen.insert(*here).second : here != group(place - 1))) return 0;
  }
  return count % each == 0 ? each : 0;
}

/// The levels of a cluster whose pairs of places are too many to look at: its nodes, and the whole. The nearest pair of
/// each kind speaks for all, so no pair is nearer than its level says.
std::vector<UniformLevel> levels_of_nodes(const Topology& topology) {
  const std::span<const PathClass> levels = topology.levels();
  const auto network = std::ranges::find(levels, PathKind::network, &PathClass::kind);
  const std::size_t each = network != levels.end() ? places_of_node(topology) : 0;
  if (each == 0) return {};
  const double between = topology.level_distances()[static_cast<std::size_t>(network - levels.begin())];
  std::vector<UniformLevel> result;
  if (each > 1) result.push_back({1, each, topology.level_distances().front()});
  if (each < topology.place_count()) result.push_back({each, topology.place_count(), between});
  return result;
}

}  // namespace

std::vector<UniformLevel> uniform_levels(const MapProblem& problem, std::span<const PlaceCapacity> places) {
  const Topology& topology = problem.topology;
  const std::span<const int> arities = topology.arities();
  const bool whole = places.size() == topology.place_count() &&
                     std::ranges::all_of(
                         places, [&](const PlaceCapacity& place) { return place.capacity == places.front().capacity; });
  if (!whole || topology.has_pair_matrix(problem.metric)) return {};
  if (arities.empty()) {
    const bool is_large = topology.place_count() > Topology::kLargestDense;
    return is_large && problem.metric == Metric::distance ? levels_of_nodes(topology) : std::vector<UniformLevel>();
  }
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
