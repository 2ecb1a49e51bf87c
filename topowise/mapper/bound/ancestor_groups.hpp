// SPDX-License-Identifier: BSD-3-Clause
// The machine divided by its hierarchy: into places, switches, sockets, nodes, ...
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// The vertices in groups: at first each alone, then by their ancestors (Vertex::parent), the deepest joined first.
class AncestorGroups {
 public:
  explicit AncestorGroups(const Topology& topology);

  /// A vertex that speaks for the group.
  [[nodiscard]] std::uint32_t group_of(VertexId vertex) const { return group_[vertex.index()]; }
  [[nodiscard]] std::uint32_t group_of(Place place) const { return group_of(topology_.place(place).vertex); }

  /// Joins the deepest groups with what they are below; false if there is nothing above.
  bool rise();

 private:
  [[nodiscard]] std::uint32_t parent_of(std::uint32_t vertex) const;
  void find_depths();

  const Topology& topology_;
  std::vector<std::uint32_t> group_;     ///< by vertex
  std::vector<std::uint32_t> depth_of_;  ///< by vertex: ancestors
  std::uint32_t depth_ = 0;              ///< of the deepest groups
};

}  // namespace topowise
