// SPDX-License-Identifier: BSD-3-Clause
// A partitioner's balance is a goal, not a promise. If a part holds too many ranks, every process moves some of them
// out, in proportion to the ranks of that part that it holds. The processes take turns, so that each knows what
// capacity is left. A process chooses the ranks by what they exchange within the process; the search along the
// boundaries comes afterwards.
#include <topowise/distributed/balance.hpp>

#include <algorithm>

#include <topowise/mapper/multilevel/repair.hpp>
#include <topowise/mapper/multilevel/vcycle.hpp>

namespace topowise::distributed {
namespace {

using multilevel::Arc;
using multilevel::GuestVertex;

/// The edges between own vertices.
multilevel::Graph own_graph(const GuestGraph& graph) {
  multilevel::Graph own;
  own.load.assign(static_cast<std::size_t>(graph.own_size()), 1);
  for (GuestVertex v = 0; v < graph.own_size(); ++v) {
    for (const Arc& arc : graph.arcs_of(v)) {
      if (arc.to < graph.own_size()) own.arcs.push_back(arc);
    }
    own.first.push_back(static_cast<std::int64_t>(own.arcs.size()));
  }
  return own;
}

std::vector<std::int64_t> count(const std::vector<int>& part_of, std::size_t parts) {
  std::vector<std::int64_t> counts(parts, 0);
  for (const int part : part_of) ++counts[static_cast<std::size_t>(part)];
  return counts;
}

}  // namespace

void keep_capacities(const Team& team, const GuestGraph& graph, const MachineParts& parts, std::vector<int>& part_of) {
  const std::vector<std::vector<std::int64_t>> counts = team.gather_at_all(count(part_of, parts.size()));
  std::vector<std::int64_t> load(parts.size(), 0);
  for (const std::vector<std::int64_t>& own : counts) {
    for (std::size_t p = 0; p < load.size(); ++p) load[p] += own[p];
  }
  if (std::ranges::equal(load, parts.capacity, std::ranges::less_equal())) return;

  const auto me = static_cast<std::size_t>(team.rank());
  const std::vector<std::int64_t> all = load;
  std::vector<std::int64_t> before(parts.size(), 0);  // ranks of each part that earlier processes hold
  for (std::size_t q = 0; q < counts.size(); ++q) {
    if (q == me) {
      std::vector<std::int64_t> allowed(parts.size());
      for (std::size_t p = 0; p < parts.size(); ++p) {
        const std::int64_t surplus = std::max<std::int64_t>(all[p] - parts.capacity[p], 0);
        const auto share_until = [&](std::int64_t held) { return all[p] > 0 ? surplus * held / all[p] : 0; };
        const std::int64_t leaving = share_until(before[p] + counts[q][p]) - share_until(before[p]);
        const std::int64_t spare = std::max<std::int64_t>(parts.capacity[p] - load[p], 0);
        allowed[p] = counts[q][p] - leaving + spare;
      }
      const multilevel::DenseCost cost{parts.distance, parts.size()};
      const multilevel::Graph own = own_graph(graph);
      multilevel::Repair(own, cost, allowed, part_of).run();
      const std::vector<std::int64_t> now = count(part_of, parts.size());
      for (std::size_t p = 0; p < parts.size(); ++p) load[p] += now[p] - counts[q][p];
    }
    team.broadcast(load, static_cast<int>(q));
    for (std::size_t p = 0; p < parts.size(); ++p) before[p] += counts[q][p];
  }
}

}  // namespace topowise::distributed
