// SPDX-License-Identifier: BSD-3-Clause
// The class of a route, in the terms of `nvidia-smi topo -m` and NVML's common ancestor. What counts is the farthest
// thing that a route touches: the network, the inter-socket link or a second NUMA domain, a second root complex, one
// root complex, several switches, one switch.
#include <algorithm>

#include <topowise/graph/route.hpp>

namespace topowise {
namespace {

struct Census {
  int network_switches = 0;
  int numa_domains = 0;
  int packages = 0;
  int root_complexes = 0;
  int pcie_switches = 0;
};

Census count_between(std::span<const Vertex> vertices, std::span<const Link> links, std::span<const LinkId> route) {
  Census census;
  for (std::size_t i = 0; i + 1 < route.size(); ++i) {
    switch (vertices[links[route[i].index()].to.index()].kind) {
      case VertexKind::network_switch:
        ++census.network_switches;
        break;
      case VertexKind::numa_domain:
        ++census.numa_domains;
        break;
      case VertexKind::package:
        ++census.packages;
        break;
      case VertexKind::root_complex:
        ++census.root_complexes;
        break;
      case VertexKind::pcie_switch:
        ++census.pcie_switches;
        break;
      default:
        break;
    }
  }
  return census;
}

int narrowest(std::span<const Link> links, std::span<const LinkId> route) {
  int width = links[route.front().index()].width;
  for (const LinkId link : route) width = std::min(width, links[link.index()].width);
  return width;
}

/// The levels climbed: the number of links up to the highest vertex, or down from it if those are more.
int levels_climbed(std::span<const Vertex> vertices, std::span<const Link> links, std::span<const LinkId> route) {
  const auto up = std::ranges::count_if(
      route, [&](LinkId id) { return vertices[links[id.index()].from.index()].parent == links[id.index()].to; });
  return static_cast<int>(std::max<std::ptrdiff_t>(up, std::ssize(route) - up));
}

}  // namespace

PathClass classify(std::span<const Vertex> vertices, std::span<const Link> links, std::span<const LinkId> route) {
  const auto has = [&](LinkKind kind) {
    return std::ranges::any_of(route, [&](LinkId id) { return links[id.index()].kind == kind; });
  };
  const auto only = [&](LinkKind kind) {
    return std::ranges::all_of(route, [&](LinkId id) { return links[id.index()].kind == kind; });
  };
  const Census census = count_between(vertices, links, route);
  if (has(LinkKind::network)) return {PathKind::network, census.network_switches};
  if (has(LinkKind::abstract)) return {PathKind::tree, levels_climbed(vertices, links, route)};
  // GPUs meet at the processor if NVLink or C2C wires them to it, but not to each other.
  const bool through_host = census.root_complexes + census.numa_domains + census.packages > 0;
  if (!through_host && only(LinkKind::nvlink)) return {PathKind::nvlink, narrowest(links, route)};
  if (!through_host && only(LinkKind::xgmi))
    return route.size() == 1 ? PathClass{PathKind::xgmi, narrowest(links, route)}
                             : PathClass{PathKind::xgmi_relay, static_cast<int>(route.size())};
  if (!through_host && only(LinkKind::c2c)) return {PathKind::c2c, 0};
  if (!through_host && only(LinkKind::vendor_link)) return {PathKind::vendor_link, narrowest(links, route)};
  if (has(LinkKind::inter_socket) || census.numa_domains > 1 || census.packages > 1) return {PathKind::sys, 0};
  if (census.root_complexes > 1) return {PathKind::node, 0};
  if (through_host) return {PathKind::phb, 0};
  return {census.pcie_switches > 1 ? PathKind::pxb : PathKind::pix, 0};
}

}  // namespace topowise
