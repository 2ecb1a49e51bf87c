// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/topology_parts.hpp>

#include <algorithm>
#include <span>

namespace topowise {
namespace {

/// Level of two leaves of a uniform hierarchy: how many levels up their groups meet, from 1.
int climb(std::span<const int> arities, std::size_t a, std::size_t b) {
  int levels = 0;
  for (std::size_t i = arities.size(); i > 0 && a != b; --i) {
    a /= static_cast<std::size_t>(arities[i - 1]);
    b /= static_cast<std::size_t>(arities[i - 1]);
    ++levels;
  }
  return levels;
}

}  // namespace

std::string_view node_above(std::span<const Vertex> vertices, VertexId vertex) {
  for (std::optional<VertexId> v = vertex; v; v = vertices[v->index()].parent) {
    const Vertex& above = vertices[v->index()];
    if (!above.node.empty()) return above.node;
    if (above.kind == VertexKind::compute_node) return above.name;
  }
  return {};
}

PathClass TopologyParts::classify_pair(Place a, Place b) const {
  if (a == b) return {PathKind::self, 0};
  const auto stated = stated_classes.find(std::minmax(a, b));
  if (const auto way = staged.find({a, b}); way != staged.end()) {
    const PathClass on_host = classify(vertices, links, way->second);
    return stated == stated_classes.end() || is_bond(stated->second) ? on_host : std::max(on_host, stated->second);
  }
  if (stated != stated_classes.end()) return stated->second;
  if (network) return {PathKind::tree, network->hops(a.index(), b.index())};
  if (!arities.empty()) return {PathKind::tree, climb(arities, a.index(), b.index())};
  if (const auto switches = cluster ? cluster->switches_between(a.index(), b.index()) : std::nullopt)
    return *switches > 0 ? PathClass{PathKind::network, *switches} : PathClass{PathKind::unconnected, 0};
  const std::vector<LinkId> way = route(a, b);
  return way.empty() ? PathClass{PathKind::unconnected, 0} : classify(vertices, links, way);
}

std::vector<LinkId> TopologyParts::route(Place a, Place b) const {
  if (const auto way = staged.find({a, b}); way != staged.end()) return way->second;
  if (network) return network->route(a.index(), b.index());
  return cluster ? cluster->route(a.index(), b.index()) : routing->route(a.index(), b.index());
}

}  // namespace topowise
