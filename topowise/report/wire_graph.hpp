// SPDX-License-Identifier: BSD-3-Clause
// What a drawing of wires shows: boxes in layers, and one line for all links between two boxes, in both directions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/report/place_groups.hpp>

namespace topowise {

// How full each link is under two mappings, on one scale.

/// How full each link is, by LinkId: measured by the time that its bytes take, or by the bytes where rates are not
/// known.
struct LinkShares {
  std::vector<Bytes> bytes_before;
  std::vector<Bytes> bytes_after;
  std::vector<double> before;  ///< 0 to 1; 1 is the fullest link under either mapping
  std::vector<double> after;
  bool in_time = false;  ///< every link that carries bytes has a rate

  [[nodiscard]] bool known() const { return !before.empty(); }
};

/// Empty if one of the loads is empty, or does not have one number for each link.
[[nodiscard]] LinkShares link_shares(const Topology& topology, const std::vector<Bytes>& before,
                                     const std::vector<Bytes>& after);

/// The ends of a link as the drawing names them, "GPU0 to PCIe switch 0", with the compute node in front if one is
/// named.
[[nodiscard]] std::string link_name(const Topology& topology, const Link& link);

/// A wire: a link and the one that goes back, if there is one.
struct WireShare {
  std::size_t link = 0;  ///< the first of its links, by LinkId
  Bytes bytes_before;    ///< of both directions
  Bytes bytes_after;
  std::size_t fuller_before = 0;  ///< the link of its fuller direction
  std::size_t fuller_after = 0;
};

/// Every wire once, in the order of their first links. `shares` must be known.
[[nodiscard]] std::vector<WireShare> wire_shares(const Topology& topology, const LinkShares& shares);

/// The ends of a wire, as link_name() names them: "GPU0 – PCIe switch 0".
[[nodiscard]] std::string wire_name(const Topology& topology, const WireShare& wire);

/// The `most` fullest wires before and the `most` fullest after that carry anything, each once, fullest first.
[[nodiscard]] std::vector<WireShare> fullest(std::vector<WireShare> wires, const LinkShares& shares, std::size_t most);

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

/// The wires inside one group: its places, what is above them, and what they send through. Adapters and the like
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
