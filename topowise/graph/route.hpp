// SPDX-License-Identifier: BSD-3-Clause
// Routes between places: through the common ancestor where the machine is a tree, by Dijkstra's algorithm elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/graph/components.hpp>
#include <topowise/graph/path_class.hpp>

namespace topowise {

/// Answers routes over fixed vertices and links. Ties are broken the same way on every run.
///
/// Data prefers a direct NVLink, xGMI or C2C bond, then PCIe, then the host, the inter-socket link, the network. A GPU
/// or NIC never forwards, except that xGMI traffic passes through other GPUs, as Infinity Fabric does. A compute node
/// is no router of the network.
class Routing {
 public:
  /// `endpoints` are the vertices between which routes are asked for.
  ///
  /// `forwarding`, if it is known, decides at the vertices that it names (its place is the number of the endpoint). A
  /// tree has only one route, so it is not used there. Throws Error(bad_input) if it goes in a circle.
  Routing(std::span<const Vertex> vertices, std::span<const Link> links, std::vector<VertexId> endpoints,
          std::span<const Forwarding> forwarding = {});

  /// True if the vertices form one tree by Vertex::parent and every link joins a child and its parent.
  [[nodiscard]] bool is_tree() const { return is_tree_; }
  /// Links from endpoint number `source` to endpoint number `destination`, in order; empty if there is no route. Takes
  /// O(length of the route).
  [[nodiscard]] std::vector<LinkId> route(std::size_t source, std::size_t destination) const;
  [[nodiscard]] std::span<const LinkId> links_from(VertexId vertex) const;
  /// Number of links from a vertex up to the root. Only meaningful in a tree.
  [[nodiscard]] std::size_t depth(VertexId vertex) const { return depth_[vertex.index()]; }

 private:
  void collect_links_from(std::span<const Link> links, std::size_t vertices);
  bool find_tree(std::span<const Vertex> vertices, std::span<const Link> links);
  /// What the search for routes needs of a link. It is small, because the search looks at all links for every endpoint.
  struct Step {
    double preference;
    VertexId to;
    LinkKind kind;
    bool asks_how_entered;  ///< the vertex that the link leads to asks by which link it was entered
  };
  void find_shortest(std::span<const Step> steps, std::span<const Vertex> vertices, std::size_t source);
  void follow(std::span<const Vertex> vertices, std::span<const Link> links, std::span<const Forwarding> forwarding);
  [[nodiscard]] std::vector<LinkId> tree_route(VertexId a, VertexId b) const;

  std::vector<VertexId> endpoints_;
  std::vector<std::size_t> first_from_;  ///< links_from_ of vertex v: [first_from_[v], first_from_[v+1])
  std::vector<LinkId> links_from_;
  bool is_tree_ = false;
  std::vector<std::size_t> depth_;
  std::vector<VertexId> parent_;   ///< in a tree; the root is its own parent
  std::vector<LinkId> up_, down_;  ///< in a tree: the links between a vertex and its parent
  /// The shortest paths from one endpoint, each read backwards from its end. They take memory for the vertices, not for
  /// the lengths of all paths.
  struct Paths {
    std::vector<LinkId> last;    ///< by vertex: the link by which it is reached
    std::vector<LinkId> before;  ///< by number_from_asking_ of a link: the link before it
  };
  /// Paths that follow forwarding tables, each as a whole.
  struct FollowedPaths {
    std::vector<std::size_t> first;  ///< path to endpoint e: [first[e], first[e+1])
    std::vector<LinkId> links;
  };
  std::vector<Paths> paths_;                       ///< if no tree: by endpoint
  std::vector<FollowedPaths> followed_;            ///< by endpoint; empty without forwarding tables
  std::vector<VertexId> from_;                     ///< by link, if no tree
  std::vector<std::uint32_t> number_from_asking_;  ///< of each link that leaves a vertex which asks how it was entered
};

/// The class of a route between two places (see PathKind). `route` must not be empty.
[[nodiscard]] PathClass classify(std::span<const Vertex> vertices, std::span<const Link> links,
                                 std::span<const LinkId> route);

}  // namespace topowise
