// SPDX-License-Identifier: BSD-3-Clause
#include "nvml_machine.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <topowise/base/text.hpp>
#include <topowise/graph/route.hpp>
#include <topowise/topology_source/source.hpp>

#include "environment.hpp"

namespace topowise::fake {
namespace {

constexpr std::uint8_t kFirstSwitchBus = 0xe0;

bool is_bond(const Link& link) {
  return link.kind == LinkKind::nvlink || link.kind == LinkKind::xgmi || link.kind == LinkKind::c2c;
}

int level_of(PathClass path) {
  switch (path.kind) {
    case PathKind::same_board:
      return 0;
    case PathKind::pix:
      return 10;
    case PathKind::pxb:
      return 20;
    case PathKind::phb:
      return 30;
    case PathKind::node:
      return 40;
    default:
      return 50;
  }
}

/// The class of the point where two GPUs meet, without counting their direct bonds.
std::vector<int> ancestors_of(const Node& node) {
  std::vector<VertexId> ends;
  for (const Gpu& gpu : node.gpus) ends.push_back(node.topology.place(gpu.place).vertex);
  std::vector<Link> host;
  std::ranges::copy_if(node.topology.links(), std::back_inserter(host),
                       [](const Link& link) { return !is_bond(link); });
  const Routing routing(node.topology.vertices(), host, ends);
  std::vector<int> levels(ends.size() * ends.size(), 0);
  for (std::size_t a = 0; a < ends.size(); ++a) {
    for (std::size_t b = 0; b < ends.size(); ++b) {
      if (a == b) continue;
      PathClass path = node.topology.path_class(node.gpus[a].place, node.gpus[b].place);
      const std::vector<LinkId> route = routing.route(a, b);
      if (path.kind < PathKind::same_board)  // a bond hides the class
        path = route.empty() ? PathClass{PathKind::sys} : classify(node.topology.vertices(), host, route);
      levels[a * ends.size() + b] = level_of(path);
    }
  }
  return levels;
}

unsigned version_of(const Link& link) {
  const double one = link.bandwidth.value() / 1e9 / link.width;
  if (one < 22) return 1;
  return one > 40 ? 5 : 2;
}

NvmlGpu view_of(const Node& node, const Gpu& gpu) {
  NvmlGpu view;
  std::map<VertexId, const Gpu*> others;
  for (const Gpu& other : node.gpus) others[node.topology.place(other.place).vertex] = &other;
  for (const LinkId id : node.topology.links_from(node.topology.place(gpu.place).vertex)) {
    const Link& link = node.topology.link(id);
    if (link.kind == LinkKind::pcie) {
      const double doublings = std::log2(link.bandwidth.value() / 15.754e9);
      view.pcie_generation = static_cast<unsigned>(std::clamp(3.0 + std::round(doublings), 1.0, 6.0));
    }
    if (link.kind != LinkKind::nvlink) continue;
    NvmlLink end{.remote_type = 1, .version = version_of(link)};
    if (const auto other = others.find(link.to); other != others.end()) {
      end.remote_type = 0;
      end.remote = other->second->pci;
    } else if (node.topology.vertex(link.to).kind == VertexKind::nvswitch) {
      end.remote_type = 2;
      end.remote = PciAddress{0, static_cast<std::uint8_t>(kFirstSwitchBus + link.to.index() % 32), 0, 0};
    }
    view.links.insert(view.links.end(), static_cast<std::size_t>(link.width), end);
  }
  return view;
}

/// "all", "none", or the pairs that can: "0-1,2-3".
std::vector<bool> peers_of(const std::string& peers, std::size_t n) {
  std::vector<bool> reads(n * n, peers == "all");
  if (peers == "all" || peers == "none") return reads;
  for (const std::string_view pair : split(peers, ',')) {
    const std::vector<std::string_view> ends = split(pair, '-');
    if (ends.size() != 2) continue;
    const auto a = parse_integer(ends[0]);
    const auto b = parse_integer(ends[1]);
    const auto size = static_cast<std::int64_t>(n);
    if (!a || !b || *a < 0 || *b < 0 || *a >= size || *b >= size) continue;
    reads[static_cast<std::size_t>(*a * size + *b)] = reads[static_cast<std::size_t>(*b * size + *a)] = true;
  }
  return reads;
}

}  // namespace

NvmlMachine make_nvml_machine() {
  // This is not environment(): the library stays loaded, and the next start may have another node.
  const Environment now;
  Topology topology = read_topology(now.node);
  std::vector<Gpu> instances = gpus_of(topology, now.instances);
  Node node{std::move(topology), std::move(instances)};
  std::vector<NvmlGpu> gpus;
  for (const Gpu& gpu : node.gpus) gpus.push_back(view_of(node, gpu));
  std::vector<int> ancestors = ancestors_of(node);
  std::vector<bool> peers = peers_of(now.peers, node.gpus.size());
  return {std::move(node), std::move(gpus), std::move(ancestors), std::move(peers)};
}

}  // namespace topowise::fake
