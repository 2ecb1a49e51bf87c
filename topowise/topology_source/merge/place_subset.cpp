// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/merge/place_subset.hpp>

#include <map>
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
  std::vector<std::size_t> places;
  std::map<Place, Place> kept;  // to its new number
  for (const PlaceIdentity& known : keep) {
    kept.emplace(known.place, Place(places.size()));
    places.push_back(known.place.index());
  }
  // A class that no source states follows from the route: with fewer places, other adapters may be the nearest free
  // ones.
  const auto both = [&](const std::pair<Place, Place>& pair, const auto& state) {
    const auto a = kept.find(pair.first);
    const auto b = kept.find(pair.second);
    if (a != kept.end() && b != kept.end()) state(a->second, b->second);
  };
  for (const auto& [pair, path] : machine.stated_classes())
    both(pair, [&, &stated = path](Place a, Place b) { builder.set_class(a, b, stated); });
  for (const auto& pair : machine.without_peer_access())
    both(pair, [&](Place a, Place b) { builder.refuse_peer_access(a, b); });
  for (std::size_t a = 0; !machine.arities().empty() && a < keep.size(); ++a) {
    for (std::size_t b = a + 1; b < keep.size(); ++b)
      builder.set_class(Place(a), Place(b), machine.path_class(keep[a].place, keep[b].place));
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
