// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/on_node.hpp>

#include <utility>

#include <topowise/base/host_names.hpp>

namespace topowise {

std::string host_or_empty(std::string_view name) {
  return is_host_name(name) && !is_same_host(name, "localhost") ? std::string(name) : std::string();
}

Topology on_node(const Topology& machine, const std::string& name) {
  if (name.empty()) return machine;
  TopologyBuilder builder(machine.name());
  for (Vertex vertex : machine.vertices()) {
    if (vertex.node.empty()) vertex.node = name;
    builder.add_vertex(std::move(vertex));
  }
  for (const Link& link : machine.links()) builder.add_link(link);
  for (const PlaceEntry& place : machine.places()) builder.add_place(place.kind, place.vertex, place.capacity);
  for (const auto& [pair, path] : machine.stated_classes()) builder.set_class(pair.first, pair.second, path);
  for (const auto& [a, b] : machine.without_peer_access()) builder.refuse_peer_access(a, b);
  for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth, Metric::hops}) {
    if (const PairMatrix* matrix = machine.pair_matrix(metric)) builder.set_pair_matrix(metric, *matrix);
  }
  builder.set_congestion(machine.congestion());
  builder.add_notes_of(machine);
  return std::move(builder).build();
}

}  // namespace topowise
