// SPDX-License-Identifier: BSD-3-Clause
// What a drawing of wires shows: boxes in layers, and one line for all links between two boxes, in both directions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/report/link_shares.hpp>
#include <topowise/report/place_groups.hpp>

namespace topowise {

struct WireBox {
  std::string name;
  std::vector<Place> places;  ///< places in the box
  int layer = 0;              ///< 0: the row of the places; above it 1, 2, ...; -1: below, NVSwitches
};

struct Wire {
  std::size_t first = 0;  ///< index of a box, below or left of `second`
  std::size_t second = 0;
  LinkKind kind = LinkKind::abstract;
  std::vector<std::size_t> links;  ///< links that it stands for, by LinkId
};

struct WireGraph {
  std::vector<WireBox> boxes;  ///< those of a layer from left to right
  std::vector<Wire> wires;
  bool left_out = false;  ///< true if devices without places that carry nothing are left out
};

/// The wires inside one group: its places, what stands above them, and what they send through. Adapters and the like
/// that carry nothing under either mapping are left out.
[[nodiscard]] WireGraph group_wires(const Topology& topology, const PlaceGroup& group, const LinkShares& shares);

/// The wires between groups: each group is one box, and the switches between them are above.
[[nodiscard]] WireGraph network_wires(const Topology& topology, const std::vector<PlaceGroup>& groups,
                                      const LinkShares& shares);

/// The wires between groups where the nodes are too many for a row: nodes on the same switches share one box,
/// "n01–n16".
[[nodiscard]] WireGraph leaf_wires(const Topology& topology, const std::vector<PlaceGroup>& groups,
                                   const LinkShares& shares);

}  // namespace topowise
