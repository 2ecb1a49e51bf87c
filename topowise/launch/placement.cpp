// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/placement.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <topowise/base/error.hpp>

namespace topowise {
namespace {

/// The processors nearest to a place: its own, else those of its nearest ancestor that states some.
std::string nearest_cpus(const Topology& topology, VertexId place) {
  for (std::optional<VertexId> v = place; v; v = topology.vertex(*v).parent) {
    if (!topology.vertex(*v).cpus.empty()) return topology.vertex(*v).cpus;
  }
  return {};
}

/// The places of a node that are GPUs, in the order in which the runtime numbers them.
std::vector<Place> gpus_in_order(const Topology& topology, std::vector<Place> places) {
  std::erase_if(places, [&](Place place) { return topology.place(place).kind != PlaceKind::gpu; });
  const bool known =
      std::ranges::all_of(places, [&](Place place) { return topology.vertex_of(place).pci.has_value(); });
  if (known) std::ranges::stable_sort(places, {}, [&](Place place) { return *topology.vertex_of(place).pci; });
  return places;
}

bool are_cores_in_order(const Topology& topology, const std::vector<Place>& places) {
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (topology.place(places[k]).kind != PlaceKind::core) return false;
    if (topology.vertex_of(places[k]).cpus != std::to_string(k)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::vector<std::size_t>> Placement::ranks_by_node() const {
  std::vector<std::vector<std::size_t>> found(nodes.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) found[ranks[rank].node].push_back(rank);
  return found;
}

Placement place_ranks(const Mapping& mapping, const Topology& topology) {
  for (const Place place : mapping.places()) {
    if (place.index() >= topology.place_count()) mapping.check(topology);  // throws
  }
  Placement placement;
  placement.topology = topology.name();
  std::map<std::string, std::size_t> node_of_name;
  std::vector<std::vector<Place>> places_of;
  std::vector<std::size_t> node_of(topology.place_count());
  for (std::size_t p = 0; p < topology.place_count(); ++p) {
    const std::string name = node_name(topology, topology.place(Place(p)).vertex);
    const auto [found, fresh] = node_of_name.try_emplace(name, placement.nodes.size());
    if (fresh) {
      placement.nodes.push_back({name, {}});
      places_of.emplace_back();
    }
    node_of[p] = found->second;
    places_of[found->second].emplace_back(p);
  }
  std::vector<std::optional<std::size_t>> gpu_of(topology.place_count());
  for (std::size_t node = 0; node < placement.nodes.size(); ++node) {
    placement.nodes[node].cores_in_order = are_cores_in_order(topology, places_of[node]);
    for (const Place place : gpus_in_order(topology, places_of[node])) {
      const Vertex& vertex = topology.vertex_of(place);
      gpu_of[place.index()] = placement.nodes[node].gpus.size();
      placement.nodes[node].gpus.push_back(
          {vertex.name, vertex.pci, vertex.uuid, nearest_cpus(topology, topology.place(place).vertex), vertex.numa});
    }
  }
  std::vector<std::size_t> used(placement.nodes.size(), 0);
  for (const Place place : mapping.places()) {
    const std::size_t node = node_of[place.index()];
    placement.ranks.push_back({node, used[node]++, gpu_of[place.index()], topology.vertex_of(place).name,
                               nearest_cpus(topology, topology.place(place).vertex)});
  }
  return placement;
}

}  // namespace topowise
