// SPDX-License-Identifier: BSD-3-Clause
// Routes in a cluster: compute nodes with adapters (NICs) on network switches.
//
// A route between two nodes has three parts. First, data leaves its place by one adapter of its node: the nearest one.
// Of several equally near adapters it takes the one that fewest places use, so that two GPUs and two adapters below one
// switch make two rails. Second, the switches forward it on a shortest way. Of several shortest ways each pair of
// switches uses one, and different pairs use different ones, as networks spread their flows. Third, it enters the other
// node by the adapter of the place that it goes to; where the rails of a network do not meet, by the adapter on the
// rail that it came by. The way back is the same way backwards. Where the switches' forwarding tables are known, they
// decide instead, by the node that data goes to, as long as they lead to the switch of the adapter by which the route
// enters that node. Distances stay those of shortest ways.
//
// Each part is computed once for all nodes that look alike, and a route is put together when it is asked for. So routes
// need no table of all pairs of places, and a machine may have more places than such tables can hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/graph/components.hpp>
#include <topowise/graph/route.hpp>

namespace topowise {

class ClusterRouting {
 public:
  /// Nothing if the machine is no such cluster: it has no adapter on a switch, a place is in no node with an adapter,
  /// or a link has no way back. `forwarding` must lead from switch to switch, and to one place of each node, else
  /// nothing is found. Throws Error(bad_input) if it goes in a circle.
  [[nodiscard]] static std::optional<ClusterRouting> find(std::span<const Vertex> vertices, std::span<const Link> links,
                                                          std::span<const VertexId> endpoints,
                                                          std::span<const Forwarding> forwarding = {});

  /// Links between two endpoints, in order; empty if there is none.
  [[nodiscard]] std::vector<LinkId> route(std::size_t a, std::size_t b) const;
  /// Network switches on the way between endpoints of different nodes, 0 if there is none; nothing inside a node.
  [[nodiscard]] std::optional<int> switches_between(std::size_t a, std::size_t b) const;
  /// The node that an endpoint is in. A node here is what is joined without the network: NVLink makes a rack one node.
  [[nodiscard]] std::size_t node_of(std::size_t endpoint) const { return position_[endpoint].node; }
  /// By node: the number of the set of switches that its adapters are on; empty if two nodes share only some of their
  /// switches. Ways between nodes of different sets cross at least two switches.
  [[nodiscard]] std::vector<std::uint32_t> switch_sets() const;
  /// Some pairs of endpoints, among which each kind of route occurs.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> samples() const;

 private:
  /// What nodes that look alike share; all numbers are local.
  struct Shape {
    Routing inside;                   ///< routes between the endpoints and adapters
    std::size_t endpoints = 0;        ///< the number of endpoints, which come before the adapters
    std::vector<std::uint32_t> gate;  ///< by endpoint: its way out of the node
    std::vector<std::uint32_t> adapter_of_gate;
    std::vector<bool> is_host;  ///< by endpoint: whether it is a host as a whole, which uses any of its ways out
  };
  struct Gate {
    LinkId out;
    std::uint32_t leaf = 0;  ///< the switch that it is on, an index into leaves_
  };
  struct Node {
    std::uint32_t shape = 0;
    std::vector<LinkId> links;  ///< by local number
    std::vector<Gate> gates;
    std::vector<std::uint32_t> endpoints;
  };
  struct Position {
    std::uint32_t node = 0;
    std::uint32_t local = 0;
  };
  class Finder;

  [[nodiscard]] std::uint32_t own_gate(const Position& at) const {
    return shapes_[nodes_[at.node].shape].gate[at.local];
  }
  [[nodiscard]] const Gate& gate_of(const Position& at) const { return nodes_[at.node].gates[own_gate(at)]; }
  /// The ways out of both nodes that a route takes; nothing if no two of them meet.
  struct Gates {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };
  [[nodiscard]] std::optional<Gates> gates_between(const Position& from, const Position& to) const;
  /// The gate of the node of `at` that is nearest to `at` among those from which `leaf` is reached.
  [[nodiscard]] std::optional<std::uint32_t> gate_towards(const Position& at, std::size_t leaf) const;
  /// Numbers [first, end) of the gates that an endpoint uses.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> gates_of(const Position& at) const;
  [[nodiscard]] std::vector<LinkId> way_to_adapter(const Position& at, std::uint32_t gate) const;
  void append_way_out(const Position& at, std::uint32_t gate, std::vector<LinkId>& way) const;
  void append_network(std::size_t from_leaf, std::size_t to_leaf, std::vector<LinkId>& way) const;
  /// Appends the way that the tables give. Returns false and leaves `way` unchanged where they do not lead to
  /// `to_leaf`.
  bool append_as_forwarded(std::size_t from_leaf, std::size_t to_leaf, std::size_t to_node,
                           std::vector<LinkId>& way) const;
  [[nodiscard]] std::uint32_t& onward(std::uint32_t vertex, std::size_t node) {
    return onward_[number_of_switch_[vertex] * nodes_.size() + node];
  }
  [[nodiscard]] std::uint16_t hops_between(std::size_t leaf, std::size_t other) const {
    return hops(leaf, leaves_[other]);
  }
  [[nodiscard]] std::uint16_t hops(std::size_t leaf, std::uint32_t vertex) const {
    return hops_[leaf * switches_ + number_of_switch_[vertex]];
  }

  static constexpr std::uint16_t kUnreachable = 0xffff;
  static constexpr std::uint32_t kNoLink = 0xffffffff;

  std::vector<Shape> shapes_;
  std::vector<Node> nodes_;
  std::vector<Position> position_;               ///< by endpoint
  std::vector<LinkId> back_;                     ///< by link: the link in the other direction
  std::vector<VertexId> to_;                     ///< by link: the vertex where it ends
  std::vector<std::uint32_t> leaves_;            ///< vertices of the switches that adapters are on
  std::vector<std::uint32_t> number_of_switch_;  ///< by vertex
  std::size_t switches_ = 0;
  std::vector<std::uint16_t> hops_;               ///< from each leaf to each switch
  std::vector<std::vector<LinkId>> links_among_;  ///< by number of switch: its links to other switches
  std::vector<std::uint32_t> onward_;             ///< forwarding: links by switch and node; empty: no tables
};

}  // namespace topowise
