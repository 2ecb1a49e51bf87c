// SPDX-License-Identifier: BSD-3-Clause
// The machine divided by its hierarchy: into places, switches, sockets, nodes, ...
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// The vertices in groups. At first each vertex is alone; then groups are joined by their ancestors (Vertex::parent),
/// the deepest first.
class AncestorGroups {
 public:
  explicit AncestorGroups(const Topology& topology);

  /// A vertex that speaks for the group.
  [[nodiscard]] std::uint32_t group_of(VertexId vertex) const { return group_[vertex.index()]; }
  [[nodiscard]] std::uint32_t group_of(Place place) const { return group_of(topology_.place(place).vertex); }

  /// Joins the deepest groups with the groups above them; returns false if there is nothing above.
  bool rise();

 private:
  [[nodiscard]] std::uint32_t parent_of(std::uint32_t vertex) const;
  void find_depths();

  const Topology& topology_;
  std::vector<std::uint32_t> group_;     ///< by vertex
  std::vector<std::uint32_t> depth_of_;  ///< by vertex: ancestors
  std::uint32_t depth_ = 0;              ///< of the deepest groups
};

/// Calls `visit(groups, capacity)` for every division that parts the places, from single vertices up; `capacity` is
/// what each group can hold, by the vertex that speaks for it. O((vertices + places) x depth), for 64 depths at most.
template <class Visit>
void for_each_division(const Topology& topology, std::span<const PlaceCapacity> places, const Visit& visit) {
  constexpr int kDeepest = 64;
  AncestorGroups groups(topology);
  for (int depth = 0; depth < kDeepest; ++depth) {
    std::vector<std::size_t> capacity(topology.vertices().size(), 0);
    for (const PlaceCapacity& each : places) capacity[groups.group_of(each.place)] += each.capacity;
    if (std::ranges::count_if(capacity, [](std::size_t c) { return c > 0; }) == 1) return;
    visit(groups, std::move(capacity));
    if (!groups.rise()) return;
  }
}

}  // namespace topowise
