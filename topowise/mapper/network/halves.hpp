// SPDX-License-Identifier: BSD-3-Clause
// A regular network cut into halves, each half again, down to single places.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/large_network.hpp>

namespace topowise {

/// The usable places of a torus, a mesh or a dragonfly as a binary tree. A grid is cut across its longest axis, between
/// two planes; a dragonfly between two groups, then two routers.
class NetworkHalves {
 public:
  using Centre = std::array<float, kMostNetworkAxes>;  ///< a point of the grid, between places; of a dragonfly the ends
                                                       ///< of the part say all, and this stays 0

  /// Consecutive places of places(); its halves are the nodes `low` and `high`, 0 for a single place.
  struct Node {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::uint32_t axis = 0;     ///< across which it is cut
    std::int64_t capacity = 0;  ///< ranks
    Centre centre{};
  };

  /// Nothing unless the machine is such a network. Where there is room for more ranks than there are, only places that
  /// lie together are taken.
  [[nodiscard]] static std::optional<NetworkHalves> find(const MapProblem& problem);

  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }  ///< the root first, parents before children
  [[nodiscard]] std::span<const PlaceCapacity> places() const { return places_; }
  [[nodiscard]] bool is_grid() const { return axes_ > 0; }
  /// Hops between two points along one axis of a grid.
  [[nodiscard]] double along(std::size_t axis, double from, double to) const;

 private:
  NetworkHalves(const MapProblem& problem, const NetworkShape& shape);
  [[nodiscard]] std::uint32_t coordinate(const PlaceCapacity& place, std::size_t axis) const;
  void keep_together(std::size_t first, std::size_t end, std::int64_t load);
  [[nodiscard]] std::int64_t capacity(std::size_t first, std::size_t end) const;
  void sort(std::size_t first, std::size_t end, std::size_t axis);
  void describe(Node& node);
  void cut(std::size_t index);
  [[nodiscard]] std::size_t border(const Node& node) const;

  std::vector<PlaceCapacity> places_;
  std::vector<Node> nodes_;
  std::size_t axes_ = 0;
  std::array<std::uint32_t, kMostNetworkAxes> size_{};
  std::array<std::uint32_t, kMostNetworkAxes> stride_{};
  bool closed_ = false;
  std::uint32_t group_places_ = 1;   ///< of a dragonfly
  std::uint32_t router_places_ = 1;  ///< of a dragonfly
};

}  // namespace topowise
