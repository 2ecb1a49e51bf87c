// SPDX-License-Identifier: BSD-3-Clause
// Routes in a torus, a mesh or a dragonfly, from coordinates: memory for the links, none for pairs of places.
//
// In a grid a route goes along one axis after the other, the first axis first (dimension order), each time the shorter
// way round. Where both ways round are equally long, it goes up from even coordinates and down from odd ones. In a
// dragonfly a route takes one global wire at most, as the routers' minimal routing does (Kim et al., ISCA 2008, section
// 4.1): a local link to the router that holds the wire, the wire, a local link from its end. Of several wires between
// two groups it takes one with the fewest local links; equally good ones are spread over the pairs of routers, and the
// way back is the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/graph/components.hpp>
#include <topowise/graph/network_shape.hpp>

namespace topowise {

class NetworkRouting {
 public:
  /// Nothing unless the machine is wired as `shape` says, in the order of for_each_wire(): place p is vertex p, wire w
  /// is the links 2 w and 2 w + 1, and nothing else is stated of any vertex. Takes O(links).
  [[nodiscard]] static std::optional<NetworkRouting> find(const NetworkShape& shape, std::span<const Vertex> vertices,
                                                          std::span<const Link> links,
                                                          std::span<const PlaceEntry> places);

  [[nodiscard]] const NetworkShape& shape() const { return shape_; }
  /// Links on the route between two places. Takes O(axes), or O(wires between two groups).
  [[nodiscard]] int hops(std::size_t a, std::size_t b) const;
  /// These links, in order.
  [[nodiscard]] std::vector<LinkId> route(std::size_t a, std::size_t b) const;
  /// Some pair of places for each number of hops that occurs, the fewest first.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> samples() const;

 private:
  NetworkRouting(const NetworkShape& shape, std::size_t places);
  void set_grid_link(const GridShape& grid, std::size_t from, std::size_t to, LinkId link);
  void add_wire(std::size_t a, std::size_t b, LinkId there, LinkId back);
  [[nodiscard]] std::uint32_t steps(const GridShape& grid, std::size_t axis, std::uint32_t from,
                                    std::uint32_t to) const;

  /// Two routers of different groups and the wire between their groups that a route takes.
  struct Crossing {
    std::uint32_t wire = 0;
    std::uint32_t near = 0;  ///< router of the first group that holds it
    std::uint32_t far = 0;   ///< and of the second
    int hops = 0;            ///< between the two routers
  };
  [[nodiscard]] Crossing crossing(const DragonflyShape& fly, std::size_t a, std::size_t b) const;
  [[nodiscard]] int router_hops(const DragonflyShape& fly, std::size_t a, std::size_t b) const;
  void append_local(const DragonflyShape& fly, std::size_t group, std::uint32_t from, std::uint32_t to,
                    std::vector<LinkId>& way) const;

  NetworkShape shape_;
  std::size_t places_ = 0;
  std::vector<std::uint32_t> coordinate_;  ///< of a grid: by place and axis
  /// Links of a grid by place, axis and direction (up first). Links of a dragonfly: those up from each place and down
  /// to it; then those of each group by router and router; then those of each group by wire and group further on.
  std::vector<LinkId> link_;
};

}  // namespace topowise
