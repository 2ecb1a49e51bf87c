// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/recorded_weights.hpp>

#include <vector>

namespace topowise {

Traffic recorded_weights(const Traffic& job, std::span<const std::int32_t> world_ranks, std::size_t vertices) {
  constexpr std::int32_t kNone = -1;
  std::vector<std::int32_t> vertex_of(job.ranks(), kNone);
  const auto recorded = [&](std::int32_t rank) { return rank >= 0 && static_cast<std::size_t>(rank) < job.ranks(); };
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    if (recorded(world_ranks[vertex]))
      vertex_of[static_cast<std::size_t>(world_ranks[vertex])] = static_cast<std::int32_t>(vertex);
  }
  std::vector<TrafficEntry> entries;
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    if (!recorded(world_ranks[vertex])) continue;
    for (const TrafficEntry& entry : job.sent_by(Rank(static_cast<std::size_t>(world_ranks[vertex])))) {
      const std::int32_t other = vertex_of[entry.destination.index()];
      if (other == kNone || static_cast<std::size_t>(other) == vertex) continue;
      entries.push_back({Rank(vertex), Rank(static_cast<std::size_t>(other)), entry.bytes, entry.messages});
    }
  }
  return Traffic::from_entries(vertices, std::move(entries));
}

}  // namespace topowise
