// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/ultrametric.hpp>

#include <algorithm>

namespace topowise {

std::vector<double> pair_distances(const MapProblem& problem, std::span<const PlaceCapacity> places) {
  std::vector<double> distances(places.size() * places.size(), 0.0);
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = a + 1; b < places.size(); ++b) {
      const Topology& topology = problem.topology;
      const double there = topology.pair_cost(problem.metric, places[a].place, places[b].place);
      const double back = topology.pair_cost(problem.metric, places[b].place, places[a].place);
      distances[a * places.size() + b] = distances[b * places.size() + a] = there == back ? there : (there + back) / 2;
    }
  }
  return distances;
}

bool is_ultrametric(std::span<const double> distances, std::size_t places) {
  // A minimum spanning tree gives the only ultrametric that could fit: the distance of two places is the longest edge
  // on the path between them. Places join one at a time, so the path to an earlier one leads through `from`.
  const auto distance = [&](std::size_t a, std::size_t b) { return distances[a * places + b]; };
  std::vector<double> longest(places * places, 0.0);
  std::vector<std::size_t> joined{0};
  for (const TreeEdge& edge : minimum_spanning_tree(places, distance)) {
    for (const std::size_t other : joined) {
      const double path = std::max(edge.length, longest[edge.from * places + other]);
      if (path != distance(edge.to, other)) return false;
      longest[edge.to * places + other] = longest[other * places + edge.to] = path;
    }
    joined.push_back(edge.to);
  }
  return true;
}

std::vector<PlaceNumbers> parts_by_distance(std::span<const double> distances, std::size_t places,
                                            const PlaceNumbers& group) {
  const auto distance = [&](int a, int b) {
    return distances[static_cast<std::size_t>(a) * places + static_cast<std::size_t>(b)];
  };
  double widest = 0;
  for (const int place : group) widest = std::max(widest, distance(group.front(), place));
  std::vector<PlaceNumbers> parts;
  for (const int place : group) {
    const auto near = [&](const PlaceNumbers& part) { return distance(part.front(), place) < widest; };
    const auto found = std::ranges::find_if(parts, near);
    if (found == parts.end()) {
      parts.push_back({place});
    } else {
      found->push_back(place);
    }
  }
  return parts;
}

}  // namespace topowise
