// SPDX-License-Identifier: BSD-3-Clause
// What is inside a Topology. Only the files of this folder include it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/graph/cluster_routing.hpp>
#include <topowise/graph/components.hpp>
#include <topowise/graph/network_routing.hpp>
#include <topowise/graph/network_shape.hpp>
#include <topowise/graph/pair_matrix.hpp>
#include <topowise/graph/path_class.hpp>
#include <topowise/graph/route.hpp>

namespace topowise {

inline constexpr std::size_t kMetrics = 4;

struct TopologyParts {
  std::string name;
  std::vector<Vertex> vertices;
  std::vector<Link> links;
  std::vector<PlaceEntry> places;
  std::vector<std::string> warnings;
  std::vector<std::string> assumptions;
  bool invents_hosts = false;
  std::vector<int> arities;
  std::vector<Forwarding> forwarding;
  std::map<LinkId, std::vector<std::string>> adapters;
  CongestionParameters congestion;
  std::map<std::pair<Place, Place>, PathClass> stated_classes;  ///< key: smaller place first
  std::set<std::pair<Place, Place>> without_peer_access;        ///< smaller place first
  std::array<std::optional<PairMatrix>, kMetrics> pair_matrices;
  std::map<PathClass, double> class_distances;  ///< empty, or the distance of each level
  std::optional<NetworkShape> stated_shape;

  // Made by build():
  std::optional<Routing> routing;
  std::optional<NetworkRouting> network;  ///< routes, if the machine is a regular network
  std::optional<ClusterRouting> cluster;  ///< routes, if the machine is a cluster
  // `routing` knows only links where one of these is there.
  std::map<std::pair<Place, Place>, std::vector<LinkId>> staged;  ///< routes through host memory, each way
  std::vector<PathClass> levels;
  std::vector<LevelScope> scopes;  ///< by level
  std::vector<double> level_distances;
  std::vector<std::uint16_t> dense_levels;               ///< place_count^2, empty for networks and large trees
  std::vector<int> level_of_hops;                        ///< of a network
  std::vector<std::pair<Place, Place>> representatives;  ///< one pair of each level
  mutable std::array<std::once_flag, kMetrics> best_pair_once;
  mutable std::array<double, kMetrics> best_pair_value{};

  [[nodiscard]] PathClass classify_pair(Place a, Place b) const;
  [[nodiscard]] std::vector<LinkId> route(Place a, Place b) const;
};

/// The compute node that a vertex is on or below, as the vertex or an ancestor states it; empty if none does.
[[nodiscard]] std::string_view node_above(std::span<const Vertex> vertices, VertexId vertex);

}  // namespace topowise
