// SPDX-License-Identifier: BSD-3-Clause
// Greedy graph growing (Karypis and Kumar, "A fast and high quality multilevel scheme for partitioning irregular
// graphs", SIAM J. Sci. Comput. 20(1), 1998): one block grows from a random vertex by the neighbour that is tied
// strongest to it, until it holds its share; then Fiduccia-Mattheyses.
#include <topowise/mapper/multilevel/bisection.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include <topowise/mapper/multilevel/fm_search.hpp>

namespace topowise::multilevel {
namespace {

constexpr int kIdleMoves = 60;

/// Block 0 of about `share` ranks; everything else is block 1.
std::vector<int> grow(const Graph& graph, std::int64_t share, Random& random) {
  std::vector<int> block(static_cast<std::size_t>(graph.size()), 1);
  std::vector<double> tie(block.size(), 0.0);  // weight to block 0 less weight to block 1
  std::priority_queue<std::pair<double, GuestVertex>> front;
  std::vector<GuestVertex> order(block.size());
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  for (GuestVertex v = 0; v < graph.size(); ++v) {
    for (const Arc& arc : graph.arcs_of(v)) tie[static_cast<std::size_t>(v)] -= arc.weight;
  }
  std::int64_t load = 0;
  for (std::size_t next_seed = 0; load < share;) {
    GuestVertex v = -1;
    if (!front.empty()) {
      v = front.top().second;
      front.pop();
    } else if (next_seed < order.size()) {
      v = order[next_seed++];
    } else {
      break;
    }
    const auto at = static_cast<std::size_t>(v);
    if (block[at] == 0) continue;
    if (load > 0 && load + graph.load[at] / 2 > share) break;  // nearer to the share without it
    block[at] = 0;
    load += graph.load[at];
    for (const Arc& arc : graph.arcs_of(v)) {
      const auto to = static_cast<std::size_t>(arc.to);
      tie[to] += 2 * arc.weight;
      if (block[to] == 1) front.emplace(tie[to], arc.to);
    }
  }
  return block;
}

double cut(const Graph& graph, std::span<const int> block_of) {
  double sum = 0;
  for (GuestVertex v = 0; v < graph.size(); ++v) {
    for (const Arc& arc : graph.arcs_of(v)) {
      if (block_of[static_cast<std::size_t>(v)] != block_of[static_cast<std::size_t>(arc.to)]) sum += arc.weight;
    }
  }
  return sum / 2;
}

std::vector<int> bisect(const Graph& graph, std::span<const std::int64_t> capacity, int tries, const Deadline& deadline,
                        Random& random) {
  const double ratio = static_cast<double>(capacity[0]) / static_cast<double>(capacity[0] + capacity[1]);
  const std::int64_t share = std::llround(static_cast<double>(graph.total_load()) * ratio);
  std::vector<int> best;
  std::pair<std::int64_t, double> best_quality;
  for (int i = 0; i < tries; ++i) {
    std::vector<int> block = grow(graph, share, random);
    const CutCost cost;
    FmSearch<CutCost> search(graph, cost, capacity, block, deadline, random);
    search.set_slack(graph.largest_load());
    while (search.global_pass(kIdleMoves) > 0) {
    }
    const std::pair quality(search.overload(), cut(graph, block));
    if (best.empty() || quality < best_quality) {
      best = std::move(block);
      best_quality = quality;
    }
  }
  return best;
}

void bisect_range(const Graph& graph, std::span<const GuestVertex> origin, std::span<const std::int64_t> capacity,
                  int first_block, int tries, std::vector<int>& block_of, const Deadline& deadline, Random& random) {
  if (capacity.size() == 1) {
    for (const GuestVertex v : origin) block_of[static_cast<std::size_t>(v)] = first_block;
    return;
  }
  const std::size_t half = capacity.size() / 2;
  const auto sum = [](std::span<const std::int64_t> part) {
    return std::accumulate(part.begin(), part.end(), std::int64_t{0});
  };
  const std::array<std::int64_t, 2> sides{sum(capacity.first(half)), sum(capacity.subspan(half))};
  const std::vector<int> side = bisect(graph, sides, tries, deadline, random);
  std::vector<Subgraph> parts = split(graph, side, 2);
  for (Subgraph& part : parts) {
    for (GuestVertex& v : part.origin) v = origin[static_cast<std::size_t>(v)];
  }
  bisect_range(parts[0].graph, parts[0].origin, capacity.first(half), first_block, tries, block_of, deadline, random);
  bisect_range(parts[1].graph, parts[1].origin, capacity.subspan(half), first_block + static_cast<int>(half), tries,
               block_of, deadline, random);
}

}  // namespace

std::vector<int> recursive_bisection(const Graph& graph, std::span<const std::int64_t> capacity, int tries,
                                     const Deadline& deadline, Random& random) {
  std::vector<int> block_of(static_cast<std::size_t>(graph.size()), 0);
  std::vector<GuestVertex> all(block_of.size());
  std::iota(all.begin(), all.end(), 0);
  bisect_range(graph, all, capacity, 0, tries, block_of, deadline, random);
  return block_of;
}

}  // namespace topowise::multilevel
