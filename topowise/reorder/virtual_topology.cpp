// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/virtual_topology.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include <topowise/base/error.hpp>

namespace topowise {

Traffic cartesian_traffic(std::span<const int> extents, std::span<const bool> periodic, std::span<const int> weights) {
  std::size_t cells = 1;
  for (const int extent : extents) cells *= static_cast<std::size_t>(extent);
  std::vector<WeightedEdge> edges;
  edges.reserve(cells * extents.size() * 2);
  std::size_t stride = cells;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const auto extent = static_cast<std::size_t>(extents[axis]);
    stride /= extent;
    const double weight = weights.empty() ? 1 : weights[axis];
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const std::size_t coordinate = cell / stride % extent;
      const auto to = [&](std::size_t other) {
        edges.push_back({static_cast<std::int32_t>(cell),
                         static_cast<std::int32_t>(cell + other * stride - coordinate * stride), weight});
      };
      if (coordinate > 0 || periodic[axis]) to((coordinate + extent - 1) % extent);
      if (coordinate + 1 < extent || periodic[axis]) to((coordinate + 1) % extent);
    }
  }
  return edge_traffic(cells, edges);
}

VertexTraffic cut_of_a_cube(std::span<const int> extents, std::span<const bool> periodic) {
  Traffic faces = cartesian_traffic(extents, periodic, extents);
  // Extents above 1 that are all the same weigh all edges alike.
  const auto cuts = [](int extent) { return extent > 1; };
  const auto first = std::ranges::find_if(extents, cuts);
  const bool same = std::ranges::all_of(extents, [&](int extent) { return !cuts(extent) || extent == *first; });
  return same ? VertexTraffic(std::move(faces)) : VertexTraffic(std::move(faces), cartesian_traffic(extents, periodic));
}

Traffic graph_traffic(std::span<const int> index, std::span<const int> edges) {
  std::vector<WeightedEdge> found;
  found.reserve(edges.size());
  int first = 0;
  for (std::size_t vertex = 0; vertex < index.size(); ++vertex) {
    if (index[vertex] < first || static_cast<std::size_t>(index[vertex]) > edges.size())
      throw bad_input(
          fmt::format("index[{}] is {}: not between {} and {}", vertex, index[vertex], first, edges.size()));
    for (; first < index[vertex]; ++first)
      found.push_back({static_cast<std::int32_t>(vertex), edges[static_cast<std::size_t>(first)], 1});
  }
  return edge_traffic(index.size(), found);
}

Traffic edge_traffic(std::size_t vertices, std::span<const WeightedEdge> edges) {
  const auto exists = [&](std::int32_t vertex) { return vertex >= 0 && static_cast<std::size_t>(vertex) < vertices; };
  std::vector<TrafficEntry> entries;
  entries.reserve(edges.size());
  for (const WeightedEdge& edge : edges) {
    if (!exists(edge.source) || !exists(edge.destination))
      throw bad_input(
          fmt::format("the edge from {} to {} leaves the {} vertices", edge.source, edge.destination, vertices));
    if (!(edge.weight >= 0))
      throw bad_input(fmt::format("the edge from {} to {} weighs {}", edge.source, edge.destination, edge.weight));
    if (edge.source == edge.destination) continue;
    entries.push_back({Rank(static_cast<std::size_t>(edge.source)), Rank(static_cast<std::size_t>(edge.destination)),
                       Bytes(edge.weight), 1});
  }
  return Traffic::from_entries(vertices, std::move(entries));
}

}  // namespace topowise
