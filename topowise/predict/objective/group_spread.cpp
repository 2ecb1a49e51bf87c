// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/group_spread.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {
namespace {

/// Numbers the parts by their first places.
template <class Key>
PlaceParts parts_of(std::string part, const Topology& topology, const Key& key) {
  PlaceParts parts{std::move(part), {}, 0};
  std::map<decltype(key(std::size_t{0})), std::uint32_t> numbers;
  for (std::size_t place = 0; place < topology.place_count(); ++place)
    parts.of_place.push_back(numbers.emplace(key(place), static_cast<std::uint32_t>(numbers.size())).first->second);
  parts.count = numbers.size();
  return parts;
}

bool has_bonds(const Topology& topology) {
  return std::ranges::any_of(topology.links(), [](const Link& link) { return is_bond(link.kind); });
}

/// The places that direct links join.
PlaceParts domains(const Topology& topology) {
  DisjointSets joined(topology.vertices().size());
  bool nvlink = false;
  bool xgmi = false;
  bool others = false;
  for (const Link& link : topology.links()) {
    if (!is_bond(link.kind)) continue;
    joined.join(link.from.index(), link.to.index());
    nvlink = nvlink || link.kind == LinkKind::nvlink || link.kind == LinkKind::c2c;
    xgmi = xgmi || link.kind == LinkKind::xgmi;
    others = others || link.kind == LinkKind::vendor_link;
  }
  const bool is_mixed = (nvlink ? 1 : 0) + (xgmi ? 1 : 0) + (others ? 1 : 0) != 1;
  return parts_of(is_mixed || others ? "domain of direct links"
                  : xgmi             ? "xGMI domain"
                                     : "NVLink domain",
                  topology,
                  [&](std::size_t place) { return joined.find(topology.place(Place(place)).vertex.index()); });
}

PlaceParts nodes(const Topology& topology) {
  return parts_of("node", topology,
                  [&](std::size_t place) { return node_name(topology, topology.place(Place(place)).vertex); });
}

/// The places that are nearer to each other than level `level`; of nodes that the network joins one place speaks for
/// all. Nothing if that is no division.
PlaceParts within_network(const Topology& topology, const PlaceParts& nodes, int below, std::string part) {
  std::vector<std::size_t> first_of_node(nodes.count, topology.place_count());
  for (std::size_t place = topology.place_count(); place-- > 0;) first_of_node[nodes.of_place[place]] = place;
  std::vector<std::uint32_t> part_of_node(nodes.count, 0);
  std::vector<std::size_t> first_of_part;
  for (std::size_t node = 0; node < nodes.count; ++node) {
    const auto is_near = [&](std::size_t other) {
      return topology.level(Place(other), Place(first_of_node[node])) < below;
    };
    // Nodes of a part are mostly side by side: the last part is the likeliest.
    const auto found = std::find_if(first_of_part.rbegin(), first_of_part.rend(), is_near);
    const auto number = static_cast<std::size_t>(first_of_part.rend() - found);  // one more than the part's; 0: none
    if (number == 0) first_of_part.push_back(first_of_node[node]);
    part_of_node[node] = static_cast<std::uint32_t>(number == 0 ? first_of_part.size() - 1 : number - 1);
  }
  return parts_of(std::move(part), topology, [&](std::size_t place) { return part_of_node[nodes.of_place[place]]; });
}

void add_networks(const Topology& topology, const PlaceParts& nodes, std::vector<PlaceParts>& all) {
  const std::span<const PathClass> levels = topology.levels();
  for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
    const bool counts = levels[level].kind == PathKind::network && levels[level + 1].kind == PathKind::network;
    if (!counts) continue;
    const std::string part =
        levels[level].grade == 1 ? "switch" : fmt::format("part within {}", to_string(levels[level]));
    all.push_back(within_network(topology, nodes, static_cast<int>(level) + 1, part));
  }
}

void add_levels(const Topology& topology, std::vector<PlaceParts>& all) {
  std::size_t reach = 1;
  const std::span<const int> arities = topology.arities();
  for (std::size_t level = arities.size(); level-- > 1;) {
    reach *= static_cast<std::size_t>(arities[level]);
    all.push_back(parts_of(fmt::format("group of {} places", reach), topology,
                           [reach](std::size_t place) { return place / reach; }));
  }
}

void add_dragonfly(const Topology& topology, std::vector<PlaceParts>& all) {
  const NetworkShape* shape = topology.network();
  const auto* fly = shape != nullptr ? std::get_if<DragonflyShape>(shape) : nullptr;
  if (fly == nullptr) return;
  const std::size_t router = fly->places;
  const std::size_t group = router * fly->routers;
  all.push_back(parts_of("router", topology, [router](std::size_t place) { return place / router; }));
  all.push_back(parts_of("group of routers", topology, [group](std::size_t place) { return place / group; }));
}

/// Ranks that the fullest part could hold of one group.
std::vector<std::size_t> rooms(const Topology& topology, const PlaceParts& parts) {
  std::vector<std::size_t> room(parts.count, 0);
  for (std::size_t place = 0; place < parts.of_place.size(); ++place)
    room[parts.of_place[place]] += static_cast<std::size_t>(topology.place(Place(place)).capacity);
  std::ranges::sort(room, std::ranges::greater{});
  return room;
}

/// The fewest parts with room for that many ranks.
std::size_t fewest(const std::vector<std::size_t>& rooms, std::size_t ranks) {
  std::size_t count = 0;
  for (std::size_t held = 0; held < ranks && count < rooms.size(); ++count) held += rooms[count];
  return std::max<std::size_t>(count, 1);
}

PartsTouched touched_by(const RankGroups& kind, const Topology& topology, const Mapping& mapping,
                        const PlaceParts& parts) {
  PartsTouched touched{.part = parts.part};
  const std::vector<std::size_t> room = rooms(topology, parts);
  std::vector<std::uint32_t> here;
  double sum = 0;
  for (const std::vector<std::uint32_t>& group : kind.groups) {
    here.clear();
    for (const std::uint32_t rank : group) here.push_back(parts.of_place[mapping[Rank(rank)].index()]);
    std::ranges::sort(here);
    const auto count = static_cast<std::size_t>(std::unique(here.begin(), here.end()) - here.begin());
    sum += static_cast<double>(count);
    touched.most = std::max(touched.most, count);
    // Where ranks share places beyond their capacity, what the mapping does is possible, too.
    touched.least_possible = std::max(touched.least_possible, std::min(count, fewest(room, group.size())));
  }
  touched.mean = sum / static_cast<double>(kind.groups.size());
  return touched;
}

}  // namespace

std::vector<PlaceParts> place_parts(const Topology& topology) {
  std::vector<PlaceParts> all;
  const PlaceParts by_node = nodes(topology);
  all.push_back(by_node);  // first: a domain that is a node is called a node
  if (has_bonds(topology)) all.push_back(domains(topology));
  add_networks(topology, by_node, all);
  add_levels(topology, all);
  add_dragonfly(topology, all);
  const std::size_t places = topology.place_count();
  std::erase_if(all, [&](const PlaceParts& each) { return each.count < 2 || each.count == places; });
  // Two ways that divide alike say the same.
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = all.size(); j-- > i + 1;) {
      if (all[i].of_place == all[j].of_place) all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &PlaceParts::count);
  return all;
}

std::vector<GroupSpread> group_spread(const Traffic& traffic, const Topology& topology, const Mapping& mapping) {
  std::vector<GroupSpread> result;
  if (traffic.groups().empty()) return result;
  const std::vector<PlaceParts> parts = place_parts(topology);
  for (const RankGroups& kind : traffic.groups()) {
    GroupSpread spread{.kind = kind.kind, .groups = kind.groups.size(), .bytes = kind.bytes};
    for (const auto& group : kind.groups) spread.largest = std::max(spread.largest, group.size());
    for (const PlaceParts& each : parts) spread.touched.push_back(touched_by(kind, topology, mapping, each));
    result.push_back(std::move(spread));
  }
  return result;
}

}  // namespace topowise
