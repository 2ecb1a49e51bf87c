// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/place_list.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <topowise/base/text.hpp>
#include <topowise/cli/arguments.hpp>

namespace topowise::cli {
namespace {

constexpr std::int64_t kMostRanks = std::numeric_limits<int>::max();

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// For each vertex, how many ranks the places on it or below it can hold.
std::vector<std::int64_t> capacity_below(const Topology& topology) {
  std::vector<std::int64_t> capacity(topology.vertices().size(), 0);
  for (const PlaceEntry& place : topology.places()) {
    for (std::optional<VertexId> v = place.vertex; v; v = topology.vertex(*v).parent)
      capacity[v->index()] += place.capacity;
  }
  return capacity;
}

}  // namespace

Place place_named(const Topology& topology, std::string_view text, std::string_view option) {
  text = trim(text);
  if (is_number(text)) {
    const std::optional<std::int64_t> index = parse_integer(text);
    if (index && *index < static_cast<std::int64_t>(topology.place_count()))
      return Place(static_cast<std::size_t>(*index));
    throw Arguments::wrong(option, fmt::format("place '{}' does not exist, '{}' has places 0 to {}", text,
                                               topology.name(), topology.place_count() - 1));
  }
  const std::optional<PciAddress> pci = PciAddress::parse(text);
  std::vector<std::string> names;
  std::vector<Place> found;
  for (std::size_t p = 0; p < topology.place_count(); ++p) {
    const Vertex& vertex = topology.vertex_of(Place(p));
    if (vertex.name == text || (pci && vertex.pci == pci)) found.emplace_back(p);
    names.push_back(vertex.name);
  }
  if (found.size() > 1)
    throw Arguments::wrong(option,
                           fmt::format("'{}' is the name of {} places, {} and {} among them", printable(text),
                                       found.size(), found[0].index(), found[1].index()),
                           "the number of the place says which");
  if (!found.empty()) return found.front();
  throw Arguments::wrong(option, unknown_name("place", text, names), "topowise topology lists the places of a machine");
}

std::vector<Place> parse_place_list(const Topology& topology, std::string_view text, std::string_view option) {
  std::vector<Place> places;
  std::vector<bool> taken(topology.place_count(), false);
  const auto take = [&](Place place) {
    if (taken[place.index()]) throw Arguments::wrong(option, fmt::format("place {} is listed twice", place.index()));
    taken[place.index()] = true;
    places.push_back(place);
  };
  for (const std::string_view part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    if (dash != std::string_view::npos && is_number(trim(part.substr(0, dash))) &&
        is_number(trim(part.substr(dash + 1)))) {
      const Place first = place_named(topology, part.substr(0, dash), option);
      const Place last = place_named(topology, part.substr(dash + 1), option);
      if (last < first) throw Arguments::wrong(option, fmt::format("'{}' runs backwards", part));
      for (std::size_t p = first.index(); p <= last.index(); ++p) take(Place(p));
    } else {
      take(place_named(topology, part, option));
    }
  }
  return places;
}

Topology with_places(const Topology& topology, PlaceKind kind) {
  if (std::ranges::any_of(topology.places(), [&](const PlaceEntry& place) { return place.kind == kind; }))
    return topology;
  const std::optional<VertexKind> wanted = vertex_kind_of(kind);
  const std::vector<std::int64_t> capacity = capacity_below(topology);
  TopologyBuilder builder(topology.name());
  for (const Vertex& vertex : topology.vertices()) builder.add_vertex(vertex);
  for (const Link& link : topology.links()) builder.add_link(link);
  for (std::size_t v = 0; v < topology.vertices().size(); ++v) {
    if (topology.vertices()[v].kind == wanted)
      builder.add_place(kind, VertexId(v), static_cast<int>(std::clamp<std::int64_t>(capacity[v], 1, kMostRanks)));
  }
  if (builder.place_count() == 0)
    throw bad_input(fmt::format("'{}' has no place of kind '{}'", topology.name(), to_string(kind)),
                    "without --places the places are those of the topology");
  builder.set_congestion(topology.congestion());
  builder.add_notes_of(topology);
  return std::move(builder).build();
}

}  // namespace topowise::cli
