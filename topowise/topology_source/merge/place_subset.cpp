// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/merge/place_subset.hpp>

#include <algorithm>
#include <utility>

namespace topowise {

Topology with_places(const Topology& machine, const std::vector<PlaceIdentity>& keep,
                     const std::vector<std::string>& warnings) {
  TopologyBuilder builder(machine.name());
  std::vector<Vertex> vertices(machine.vertices().begin(), machine.vertices().end());
  for (const PlaceIdentity& known : keep) {
    Vertex& vertex = vertices[machine.place(known.place).vertex.index()];
    if (known.pci) vertex.pci = known.pci;
    if (!known.uuid.empty()) vertex.uuid = known.uuid;
  }
  for (Vertex& vertex : vertices) builder.add_vertex(std::move(vertex));
  for (const Link& link : machine.links()) builder.add_link(link);
  for (const PlaceIdentity& known : keep) {
    const PlaceEntry& place = machine.place(known.place);
    builder.add_place(place.kind, place.vertex, place.capacity);
  }
  const std::size_t n = keep.size();
  std::vector<std::size_t> places;
  for (const PlaceIdentity& known : keep) places.push_back(known.place.index());
  // A class that no source states follows from the route: with fewer places, other adapters may be the nearest free
  // ones.
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const auto pair = std::minmax(keep[a].place, keep[b].place);
      if (!machine.arities().empty() || machine.stated_classes().contains(pair))
        builder.set_class(Place(a), Place(b), machine.path_class(pair.first, pair.second));
      if (machine.without_peer_access().contains(pair)) builder.refuse_peer_access(Place(a), Place(b));
    }
  }
  for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth}) {
    if (const PairMatrix* matrix = machine.pair_matrix(metric))
      builder.set_pair_matrix(metric, select_places(*matrix, machine.place_count(), places));
  }
  builder.set_congestion(machine.congestion());
  builder.add_notes_of(machine);
  for (const std::string& warning : warnings) builder.warn(warning);
  return std::move(builder).build();
}

}  // namespace topowise
