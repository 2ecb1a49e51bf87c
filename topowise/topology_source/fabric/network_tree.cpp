// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/fabric/network_tree.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace topowise {

void NodesLeftOut::add(const std::string& why, const std::string& node) {
  Some& some = found_[why];
  if (some.count++ == 0) some.first = node;
}

std::vector<std::string> NodesLeftOut::reasons() const {
  std::vector<std::string> all;
  for (const auto& [why, some] : found_) all.push_back(why);
  return all;
}

std::vector<std::string> NodesLeftOut::lines(const std::string& where) const {
  std::vector<std::string> all;
  for (const auto& [why, some] : found_)
    all.push_back(fmt::format("{}: {} left out, {}: {}{}", where,
                              some.count == 1 ? "1 node is" : fmt::format("{} nodes are", some.count), why, some.first,
                              some.count == 1 ? "" : " and others"));
  return all;
}

void NodesLeftOut::report(const std::string& where, Warnings& warnings) const {
  for (std::string& line : lines(where)) warnings.add(std::move(line));
}

std::string NodesLeftOut::why_none() const {
  if (found_.empty()) return "no nodes are listed";
  return fmt::format("no job gets any of the nodes: they are {}", fmt::join(reasons(), " or "));
}

Topology build_topology(const std::string& name, const NetworkTree& network, const Provenance& source,
                        Warnings& warnings) {
  TopologyBuilder builder(name);
  const auto join = [&](VertexId below, VertexId above) {
    builder.add_links({.from = below, .to = above, .kind = LinkKind::network, .source = source});
  };
  std::vector<VertexId> switches;
  for (const NetworkTree::Switch& entry : network.switches)
    switches.push_back(builder.add_vertex({.kind = VertexKind::network_switch, .name = entry.name}));
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < switches.size(); ++i) {
    const std::optional<std::size_t>& parent = network.switches[i].parent;
    if (parent) {
      builder.set_parent(switches[i], switches[*parent]);
      join(switches[i], switches[*parent]);
    } else {
      roots.push_back(i);
    }
  }
  for (const auto& [a, b] : network.cables) join(switches[a], switches[b]);
  for (const NetworkTree::Node& node : network.nodes) {
    const VertexId above = switches[node.on];
    const VertexId vertex =
        builder.add_vertex({.kind = VertexKind::compute_node, .name = node.name, .node = node.name, .parent = above});
    join(vertex, above);
    builder.add_place(PlaceKind::node, vertex);
  }
  if (network.cables.empty() && roots.size() > 1) {
    warnings.add(
        fmt::format("{}: {} switches have no common switch above them ({}, {}, ...); nodes below different "
                    "ones do not reach each other",
                    name, roots.size(), network.switches[roots[0]].name, network.switches[roots[1]].name));
    // The parent is without links: it keeps the vertices one tree, which large machines need, but connects nothing.
    const VertexId none = builder.add_vertex({.kind = VertexKind::group, .name = "no common switch"});
    for (const std::size_t root : roots) builder.set_parent(switches[root], none);
  }
  warnings.pass_to(builder);
  return std::move(builder).build();
}

}  // namespace topowise
