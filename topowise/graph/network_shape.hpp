// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The wiring of a regular direct network: a torus, a mesh or a dragonfly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace topowise {

/// A place at each point of a grid and a wire between neighbours. Places are numbered in row-major order, the last axis
/// fastest.
struct GridShape {
  std::vector<std::uint32_t> sizes;  ///< points along each axis, at least one axis
  bool closed = false;               ///< a torus: each axis of more than two points is a ring

  friend bool operator==(const GridShape&, const GridShape&) = default;
};

/// Groups of routers: each router is joined to all others of its group, and each group to all other groups by `links`
/// wires (Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008).
///
/// A group has links x (groups - 1) global ports, which its routers share evenly, in order. Port l (groups - 1) + k of
/// group i holds wire l to group i + k + 1. With one wire between two groups and routers x h + 1 groups, that is the
/// dragonfly of the paper: router r holds ports r h to r h + h - 1. The wires between two groups are on different
/// routers.
struct DragonflyShape {
  std::uint32_t places = 1;   ///< on a router
  std::uint32_t routers = 1;  ///< in a group
  std::uint32_t groups = 1;   ///< of the whole network
  std::uint32_t links = 1;    ///< wires between two groups, at most as many as a group has routers

  /// Wires that leave a group.
  [[nodiscard]] std::uint64_t ports() const { return std::uint64_t{links} * (groups - 1); }
  /// The router of a group that holds its wire number `link` to the group `ahead` groups further on (modulo their
  /// number), 1 for the next group.
  [[nodiscard]] std::uint32_t router_of(std::uint32_t link, std::uint32_t ahead) const {
    const std::uint64_t port = std::uint64_t{link} * (groups - 1) + ahead - 1;
    return static_cast<std::uint32_t>(port * routers / ports());
  }

  friend bool operator==(const DragonflyShape&, const DragonflyShape&) = default;
};

/// A regular network, whose routes follow from coordinates.
using NetworkShape = std::variant<GridShape, DragonflyShape>;

/// How large a network is, in numbers that do not overflow.
struct NetworkSize {
  double places = 0;    ///< hosts or chips
  double vertices = 0;  ///< places and routers
  double wires = 0;     ///< each has two links, one per direction
};

/// Sizes must be above 0.
[[nodiscard]] NetworkSize size_of(const NetworkShape& shape);

/// Calls visitor(a, b) for each wire, in a fixed order. Vertex p is place p; router r is vertex places + r.
template <class Visitor>
void for_each_wire(const GridShape& shape, Visitor visitor) {
  std::size_t places = 1;
  for (const std::uint32_t size : shape.sizes) places *= size;
  for (std::size_t p = 0; p < places; ++p) {
    std::size_t stride = 1;
    for (std::size_t axis = shape.sizes.size(); axis-- > 0; stride *= shape.sizes[axis]) {
      const std::size_t size = shape.sizes[axis];
      const std::size_t here = p / stride % size;
      const bool last = here + 1 == size;
      // In a closed axis of two places the ways in both directions join the same pair.
      if (last && (!shape.closed || size <= 2)) continue;
      visitor(p, last ? p - here * stride : p + stride);
    }
  }
}
/// The same for a dragonfly.
template <class Visitor>
void for_each_wire(const DragonflyShape& shape, Visitor visitor) {
  const std::size_t routers = std::size_t{shape.routers} * shape.groups;
  const std::size_t places = routers * shape.places;
  for (std::size_t p = 0; p < places; ++p) visitor(p, places + p / shape.places);
  for (std::uint32_t group = 0; group < shape.groups; ++group) {
    const std::size_t first = places + std::size_t{group} * shape.routers;
    for (std::uint32_t a = 0; a < shape.routers; ++a) {
      for (std::uint32_t b = a + 1; b < shape.routers; ++b) visitor(first + a, first + b);
    }
    for (std::uint32_t other = group + 1; other < shape.groups; ++other) {
      for (std::uint32_t link = 0; link < shape.links; ++link) {
        const std::uint32_t ahead = other - group;
        visitor(first + shape.router_of(link, ahead),
                places + std::size_t{other} * shape.routers + shape.router_of(link, shape.groups - ahead));
      }
    }
  }
}

}  // namespace topowise
