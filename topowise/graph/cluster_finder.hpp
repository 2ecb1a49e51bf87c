// SPDX-License-Identifier: BSD-3-Clause
// How a cluster is found in a machine's vertices and links: ClusterRouting::find() uses this class.
#pragma once

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/graph/cluster_routing.hpp>

namespace topowise {

/// Fills in a ClusterRouting. A node is a set of vertices that stay connected without the network's links.
class ClusterRouting::Finder {
 public:
  Finder(std::span<const Vertex> vertices, std::span<const Link> links, std::span<const VertexId> endpoints,
         ClusterRouting& found)
      : vertices_(vertices), links_(links), endpoints_(endpoints), found_(found), parts_(vertices.size()) {}

  /// False if the machine is no cluster.
  bool run();
  /// False if the tables say how a node is entered, or treat two places of a node differently: only a table of all
  /// pairs can follow such tables.
  bool take_tables(std::span<const Forwarding> forwarding);

 private:
  /// Vertices, links and ways out of a node, in the order in which the machine has them.
  struct Members {
    std::vector<std::uint32_t> vertices;
    std::vector<std::uint32_t> links;
    std::vector<std::uint32_t> gates;  ///< links from an adapter to a switch
    std::vector<std::uint32_t> endpoints;
  };

  [[nodiscard]] bool is_switch(VertexId vertex) const {
    return vertices_[vertex.index()].kind == VertexKind::network_switch;
  }
  bool pair_links();
  bool find_nodes();
  void number_switches();
  void find_hops();
  /// Throws Error(bad_input) if the tables go in a circle.
  void check_tables();
  void add_node(const Members& members);
  /// A key that two nodes share if and only if they look alike.
  [[nodiscard]] std::vector<std::uint32_t> look_of(const Members& members);
  [[nodiscard]] Shape make_shape(const Members& members);
  void assign_gates(std::span<const Vertex> vertices, std::span<const Link> links, std::span<const VertexId> ends,
                    Shape& shape);

  std::span<const Vertex> vertices_;
  std::span<const Link> links_;
  std::span<const VertexId> endpoints_;
  ClusterRouting& found_;
  DisjointSets parts_;
  std::vector<std::uint32_t> local_;  ///< the number of each vertex in its node
  std::map<std::vector<std::uint32_t>, std::uint32_t> shape_of_look_;
  bool all_leave_ = true;  ///< every place reaches an adapter
};

}  // namespace topowise
