// SPDX-License-Identifier: BSD-3-Clause
// Which NICs are nearest to a place.
#pragma once

#include <span>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

struct NearestNics {
  PathClass path{};               ///< of the way to each of them; meaningless if there are none
  std::vector<std::size_t> nics;  ///< the NICs of the nearest class that has any: indices into `candidates`, ascending
};

/// The nearest NICs of each place. Leaves out NICs that no links reach, and NICs that are reached only through the
/// network. Takes O((P + N) * L log V) for each node, or rack that NVLink joins, with its P places, N candidates, L
/// links and V vertices; less where it is a tree.
[[nodiscard]] std::vector<NearestNics> nearest_nics(const Topology& topology, std::span<const Place> places,
                                                    std::span<const VertexId> candidates);

/// All NICs of a machine.
[[nodiscard]] std::vector<VertexId> nics_of(const Topology& topology);

/// The NICs that links join to the places without leaving their nodes, ascending.
[[nodiscard]] std::vector<VertexId> nics_without_network(const Topology& topology, std::span<const Place> places);

}  // namespace topowise
