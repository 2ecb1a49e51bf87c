// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/uniform_levels.hpp>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

namespace topowise {
namespace {

/// Places of each part, if those of a part are side by side and all parts have as many; else 0. `part` gives the number
/// of a place's part, or nothing.
template <class PartOf>
std::size_t places_of_part(std::size_t count, const PartOf& part) {
  std::size_t each = 1;
  while (each < count && part(each) == part(0)) ++each;
  std::unordered_set<std::size_t> seen;
  for (std::size_t place = 0; place < count; ++place) {
    const std::optional<std::size_t> here = part(place);
    const bool is_first = place % each == 0;
    if (!here || (is_first ? !seen.insert(*here).second : here != part(place - 1))) return 0;
  }
  return count % each == 0 ? each : 0;
}

/// The levels of a cluster whose pairs of places are too many to look at: its nodes, the nodes of one set of switches,
/// and the whole. The nearest pair of each kind speaks for all, so no pair is nearer than its level says.
std::vector<UniformLevel> levels_of_nodes(const Topology& topology) {
  const std::size_t count = topology.place_count();
  const std::span<const PathClass> levels = topology.levels();
  const auto network = std::ranges::find(levels, PathKind::network, &PathClass::kind);
  const auto farther = std::find_if(network, levels.end(), [](PathClass path) { return path.grade > 1; });
  if (network == levels.end()) return {};
  const auto distance = [&](auto level) {
    return topology.level_distances()[static_cast<std::size_t>(level - levels.begin())];
  };
  const std::size_t node =
      places_of_part(count, [&](std::size_t place) { return topology.group_without_network(Place(place)); });
  if (node == 0) return {};
  const std::vector<std::uint32_t> sets = topology.switch_sets();
  std::size_t together =
      sets.empty() || network->grade != 1 || farther == levels.end()
          ? 0
          : places_of_part(count, [&](std::size_t place) { return std::optional<std::size_t>(sets[place]); });
  if (together <= node || together == count || together % node != 0) together = 0;
  std::vector<UniformLevel> result;
  if (node > 1) result.push_back({1, node, topology.level_distances().front()});
  if (together > 0) result.push_back({node, together, distance(network)});
  if (node < count)
    result.push_back({std::max(node, together), count, together > 0 ? distance(farther) : distance(network)});
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

std::vector<UniformLevel> nested_levels(const MapProblem& problem, std::span<const PlaceCapacity> places) {
  const Topology& topology = problem.topology;
  const bool by_arity = !topology.arities().empty() && problem.metric == Metric::distance &&
                        topology.stated_classes().empty() && topology.without_peer_access().empty();
  std::vector<UniformLevel> levels = by_arity ? uniform_levels(problem, places) : std::vector<UniformLevel>();
  return std::ranges::is_sorted(levels, {}, &UniformLevel::distance) ? levels : std::vector<UniformLevel>();
}

}  // namespace topowise
