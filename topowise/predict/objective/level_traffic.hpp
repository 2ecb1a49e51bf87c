// SPDX-License-Identifier: BSD-3-Clause
// Bytes by the class of the path that they take: what a mapping moves nearer.
#pragma once

#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

struct LevelTraffic {
  Bytes within;                 ///< between ranks that share a place
  std::vector<Bytes> by_level;  ///< one entry for each of Topology::levels(), nearest first
};

/// Traffic of a rank to itself is not counted.
[[nodiscard]] LevelTraffic level_traffic(const Traffic& traffic, const Topology& topology, const Mapping& mapping);

}  // namespace topowise
