// SPDX-License-Identifier: BSD-3-Clause
// Ranks onto a torus, a mesh or a dragonfly, however large: both are cut into halves again and again, and exchanges of
// two ranks follow.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <array>
#include <topowise/mapper/problem/csr_graph.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/large_network.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

// A regular network cut into halves, each half again, down to single places.

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

/// How much work the cuts and exchanges get. What they find does not depend on the clock as long as that does not end
/// them.
struct NetworkEffort {
  int tries = 2;         ///< first halves of each division, of which the best is kept
  int sweeps = 4;        ///< over all ranks, each trying exchanges with what is near its partners
  bool anneals = false;  ///< with the rest of the time
};

/// Divides the ranks as the places are divided: halves of the traffic with few bytes between them (graph_halves), each
/// drawn to the side that is nearer to what its ranks exchange bytes with elsewhere. Nothing if the deadline passes
/// before all ranks have their place. If ranks have loads, a place may bear more than it can.
[[nodiscard]] std::optional<Mapping> divide_onto_network(const MapProblem& problem, const multilevel::Graph& graph,
                                                         int tries, std::uint64_t seed, const Deadline& deadline);

/// Divides ranks as the places are divided, by a rule: divide(node, ranks, low) puts the ranks of the node's lower
/// half, `low` in number, to the front.
using DivideRanks =
    std::function<void(const NetworkHalves::Node& node, std::span<std::uint32_t> ranks, std::size_t low)>;
[[nodiscard]] Mapping divide_by_rule(const NetworkHalves& halves, std::size_t ranks, const DivideRanks& divide);

/// Exchanges each rank with those near its partners, or moves it to a free place there, where that lowers the
/// hop-bytes, until a sweep gains nothing. Never worse than `start`. For ranks without loads.
[[nodiscard]] Mapping exchange_on_network(const MapProblem& problem, const multilevel::Graph& graph,
                                          const Mapping& start, int sweeps, std::uint64_t seed,
                                          const Deadline& deadline);

/// Simulated annealing by such exchanges and moves, `trials` of them, and a few sweeps at the end. What it finds is
/// never worse than `start`, and no worse if the deadline comes later.
[[nodiscard]] Mapping anneal_on_network(const MapProblem& problem, const multilevel::Graph& graph, const Mapping& start,
                                        std::size_t trials, std::uint64_t seed, const Deadline& deadline);

}  // namespace topowise
