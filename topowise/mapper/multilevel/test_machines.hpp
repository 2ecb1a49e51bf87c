// SPDX-License-Identifier: BSD-3-Clause
// Machines and traffic for the tests of this folder.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise::multilevel {

/// Uniform hierarchy, outermost arity first; distances 1, 10, 100, ... from the leaves up.
inline Topology uniform_tree(const std::vector<int>& arities) {
  TopologyBuilder builder("tree");
  std::vector<VertexId> above{builder.add_vertex({VertexKind::group, "root", {}, -1, {}, {}, {}, {}})};
  for (const int arity : arities) {
    std::vector<VertexId> here;
    for (const VertexId parent : above) {
      for (int i = 0; i < arity; ++i) {
        here.push_back(builder.add_vertex({VertexKind::group, "v", {}, -1, {}, {}, {}, parent}));
        builder.add_links({here.back(), parent, LinkKind::abstract, 1, {}, {}, "tree"});
      }
    }
    above = std::move(here);
  }
  for (const VertexId leaf : above) builder.add_place(PlaceKind::slot, leaf);
  builder.set_arities(arities);
  std::vector<double> distances;
  double distance = 1;
  for (std::size_t i = arities.size(); i-- > 0; distance *= 10) {
    if (arities[i] > 1) distances.push_back(distance);
  }
  builder.set_level_distances(std::move(distances));
  return std::move(builder).build();
}

/// Any distances: a table over unconnected vertices.
inline Topology table_machine(std::size_t places, std::vector<double> distances, int capacity = 1) {
  TopologyBuilder builder("table");
  for (std::size_t p = 0; p < places; ++p) {
    builder.add_place(PlaceKind::slot,
                      builder.add_vertex({VertexKind::group, "p" + std::to_string(p), {}, -1, {}, {}, {}, {}}),
                      capacity);
  }
  builder.set_pair_matrix(Metric::distance, {std::move(distances), "test"});
  return std::move(builder).build();
}

/// Torus of the given sizes, distances in hops.
inline Topology torus(const std::vector<int>& sizes) {
  std::size_t places = 1;
  for (const int size : sizes) places *= static_cast<std::size_t>(size);
  std::vector<double> distances(places * places, 0.0);
  for (std::size_t a = 0; a < places; ++a) {
    for (std::size_t b = 0; b < places; ++b) {
      std::size_t rest_a = a;
      std::size_t rest_b = b;
      for (const int size : sizes) {
        const int step = std::abs(static_cast<int>(rest_a) % size - static_cast<int>(rest_b) % size);
        distances[a * places + b] += std::min(step, size - step);
        rest_a /= static_cast<std::size_t>(size);
        rest_b /= static_cast<std::size_t>(size);
      }
    }
  }
  return table_machine(places, std::move(distances));
}

/// Each rank to its 2d neighbours in a torus, with random weights 1..9, under random names.
inline Traffic shuffled_torus_traffic(const std::vector<int>& sizes, std::uint64_t seed) {
  std::size_t ranks = 1;
  for (const int size : sizes) ranks *= static_cast<std::size_t>(size);
  Random random(seed);
  std::vector<Rank> name;
  for (std::size_t r = 0; r < ranks; ++r) name.emplace_back(r);
  random.shuffle(std::span(name));
  std::vector<TrafficEntry> entries;
  for (std::size_t r = 0; r < ranks; ++r) {
    std::size_t stride = 1;
    for (const int size : sizes) {
      const auto extent = static_cast<std::size_t>(size);
      const std::size_t at = r / stride % extent;
      const std::size_t next = r - at * stride + (at + 1) % extent * stride;
      const Bytes bytes(1.0 + random.below(9));
      if (next != r) {
        entries.push_back({name[r], name[next], bytes, 1});
        entries.push_back({name[next], name[r], bytes, 1});
      }
      stride *= extent;
    }
  }
  return Traffic::from_entries(ranks, std::move(entries));
}

/// `edges` messages of random weight between random ranks, one way.
inline Traffic random_traffic(std::size_t ranks, std::size_t edges, std::uint64_t seed) {
  Random random(seed);
  std::vector<TrafficEntry> entries;
  for (std::size_t i = 0; i < edges; ++i) {
    const Rank source(random.below(static_cast<std::uint32_t>(ranks)));
    const Rank destination(random.below(static_cast<std::uint32_t>(ranks)));
    entries.push_back({source, destination, Bytes(1.0 + random.below(100)), 1});
  }
  return Traffic::from_entries(ranks, std::move(entries));
}

}  // namespace topowise::multilevel
