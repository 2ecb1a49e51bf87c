// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/group_spread.hpp>

#include <algorithm>

#include <topowise/graph/place_parts.hpp>

namespace topowise {
namespace {

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
