// SPDX-License-Identifier: BSD-3-Clause
// The partitioner knows no distances. So the parts are arranged afterwards by a small mapping problem, which every
// process solves in the same way: its traffic is what the parts exchange, its places are the parts of the machine.
#include <topowise/distributed/arrange.hpp>

#include <algorithm>

namespace topowise::distributed {
namespace {

/// A machine with one place for each part.
Topology machine_of(const MachineParts& parts) {
  TopologyBuilder builder("parts");
  std::vector<double> distance = parts.distance;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    builder.add_place(PlaceKind::slot, builder.add_vertex({.kind = VertexKind::group, .name = std::to_string(p)}));
    distance[p * parts.size() + p] = 0;
  }
  builder.set_pair_matrix(Metric::distance, PairMatrix{.values = std::move(distance)});
  return std::move(builder).build();
}

/// Bytes between parts, both directions together.
std::vector<TrafficEntry> exchanged(const Team& team, const GuestGraph& graph, std::vector<int> part_of,
                                    std::size_t parts) {
  graph.add_ghosts(team, part_of);
  std::vector<double> bytes(parts * parts, 0.0);
  for (multilevel::GuestVertex v = 0; v < graph.own_size(); ++v) {
    const auto own = static_cast<std::size_t>(part_of[static_cast<std::size_t>(v)]);
    for (const multilevel::Arc& arc : graph.arcs_of(v))
      bytes[own * parts + static_cast<std::size_t>(part_of[static_cast<std::size_t>(arc.to)])] += arc.weight;
  }
  std::vector<TrafficEntry> own;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] > 0 && i / parts != i % parts) own.push_back({Rank(i / parts), Rank(i % parts), Bytes(bytes[i])});
  }
  std::vector<TrafficEntry> all;
  for (const std::vector<TrafficEntry>& piece : team.gather_at_all(own))
    all.insert(all.end(), piece.begin(), piece.end());
  return all;
}

}  // namespace

void arrange_parts(const Team& team, const GuestGraph& graph, const MachineParts& parts, std::vector<int>& part_of,
                   std::uint64_t seed) {
  const auto same = [](const auto& values) {
    return std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end();
  };
  std::vector<double> apart;
  for (std::size_t i = 0; i < parts.distance.size(); ++i) {
    if (i / parts.size() != i % parts.size()) apart.push_back(parts.distance[i]);
  }
  if (!same(parts.capacity) || same(apart)) return;
  const std::vector<TrafficEntry> entries = exchanged(team, graph, part_of, parts.size());
  std::optional<Mapping> place_of;
  team.together([&] {
    const MapProblem problem{
        .traffic = Traffic::from_entries(parts.size(), entries), .topology = machine_of(parts), .seed = seed};
    place_of = map_ranks(problem, "multilevel", {.threads = 1}).mapping;
  });
  for (int& part : part_of) part = static_cast<int>((*place_of)[Rank(static_cast<std::size_t>(part))].index());
}

}  // namespace topowise::distributed
