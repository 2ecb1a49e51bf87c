// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/place_groups.hpp>

#include <algorithm>
#include <map>

namespace topowise {
namespace {

/// The vertex and all vertices above it, the highest first.
std::vector<VertexId> ancestry(const Topology& topology, VertexId vertex) {
  std::vector<VertexId> chain{vertex};
  while (const auto parent = topology.vertex(chain.back()).parent) chain.push_back(*parent);
  std::ranges::reverse(chain);
  return chain;
}

/// One group for all places with the same key.
template <class Key>
std::vector<PlaceGroup> grouped(const std::vector<Key>& keys, const std::vector<std::string>& names) {
  std::map<Key, std::size_t> group_of;
  std::vector<PlaceGroup> groups;
  for (std::size_t p = 0; p < keys.size(); ++p) {
    const auto [found, is_new] = group_of.try_emplace(keys[p], groups.size());
    if (is_new) groups.push_back({names[p], {}});
    groups[found->second].places.emplace_back(p);
  }
  return groups;
}

}  // namespace

std::vector<PlaceGroup> place_groups(const Topology& topology) {
  const std::size_t count = topology.place_count();
  std::vector<std::string> names;
  std::vector<std::vector<VertexId>> chains;
  for (std::size_t p = 0; p < count; ++p) {
    names.push_back(node_name(topology, topology.place(Place(p)).vertex));
    chains.push_back(ancestry(topology, topology.place(Place(p)).vertex));
  }
  std::vector<PlaceGroup> by_node = grouped(names, names);
  if (by_node.size() > 1) return by_node;
  std::size_t depth = 0;
  const auto parts_at = [&](const std::vector<VertexId>& chain) {
    return depth >= chain.size() || depth >= chains.front().size() || chain[depth] != chains.front()[depth];
  };
  while (count > 1 && std::ranges::none_of(chains, parts_at)) ++depth;
  std::vector<std::size_t> keys;
  for (std::size_t p = 0; p < count; ++p) {
    const VertexId vertex = chains[p][std::min(depth, chains[p].size() - 1)];
    keys.push_back(vertex.index());
    names[p] = topology.vertex(vertex).name;
  }
  std::vector<PlaceGroup> groups = grouped(keys, names);
  if (groups.size() > 1 && groups.size() < count) return groups;
  return grouped(std::vector<int>(count, 0), std::vector<std::string>(count, topology.name()));
}

}  // namespace topowise
