// SPDX-License-Identifier: BSD-3-Clause
// What can be gained lies near the boundaries (Chevalier and Pellegrini, "Improvement of the efficiency of genetic
// algorithms for scalable parallel graph partitioning in a multi-level framework", Euro-Par 2006). The ranks within a
// few edges of a boundary are the *band*; all processes get its graph, in which everything else of a part is one
// *anchor*. Each process searches it with its own random numbers and the cost between parts; the best answer counts.
//
// The search knows no fixed vertices, so an anchor has a block of its own, which is as far from everything as the
// anchor's part. This block has room for the anchor alone; the block of the part has the part's capacity less the ranks
// that the anchor stands for. A vertex that the search puts into an anchor's block belongs to the part. If it takes the
// anchor's slot, the anchor takes a slot of the part's block, so the part holds no more than before. An answer that
// moves an anchor to another part is dropped.
#include <topowise/distributed/band.hpp>

#include <algorithm>
#include <numeric>

#include <topowise/mapper/multilevel/evolution.hpp>

namespace topowise::distributed {
namespace {

using multilevel::Arc;
using multilevel::DenseCost;
using multilevel::Graph;
using multilevel::GuestVertex;
using multilevel::Member;

/// Arcs of the largest band. Each process needs some 50 bytes of memory for an arc.
constexpr std::int64_t kMostArcs = std::int64_t{1} << 20;
constexpr int kWidest = 64;  ///< most edges from the boundary

/// The narrowest band: whether each own vertex is at a boundary. Chars, because vectors of bool have no elements to
/// send.
std::vector<char> boundary(const GuestGraph& graph, const std::vector<int>& part_of) {
  std::vector<char> inside(static_cast<std::size_t>(graph.own_size()), 0);
  for (GuestVertex v = 0; v < graph.own_size(); ++v) {
    const int own = part_of[static_cast<std::size_t>(v)];
    inside[static_cast<std::size_t>(v)] = std::ranges::any_of(
        graph.arcs_of(v), [&](const Arc& arc) { return part_of[static_cast<std::size_t>(arc.to)] != own; });
  }
  return inside;
}

std::vector<char> widened(const Team& team, const GuestGraph& graph, std::vector<char> inside) {
  graph.add_ghosts(team, inside);
  std::vector<char> wider(inside.begin(), inside.begin() + graph.own_size());
  for (GuestVertex v = 0; v < graph.own_size(); ++v) {
    if (std::ranges::any_of(graph.arcs_of(v),
                            [&](const Arc& arc) { return inside[static_cast<std::size_t>(arc.to)] != 0; }))
      wider[static_cast<std::size_t>(v)] = 1;
  }
  return wider;
}

std::int64_t arcs_of_band(const Team& team, const GuestGraph& graph, const std::vector<char>& inside) {
  std::int64_t arcs = 0;
  for (GuestVertex v = 0; v < graph.own_size(); ++v) {
    if (inside[static_cast<std::size_t>(v)] != 0) arcs += static_cast<std::int64_t>(graph.arcs_of(v).size());
  }
  return team.sum(std::vector<std::int64_t>{arcs}).front();
}

/// The widest band that is not too large; empty if every band is too large.
std::vector<char> choose_band(const Team& team, const GuestGraph& graph, const std::vector<int>& part_of) {
  std::vector<char> band = boundary(graph, part_of);
  std::int64_t arcs = arcs_of_band(team, graph, band);
  if (arcs > kMostArcs) return {};
  for (int width = 0; width < kWidest; ++width) {
    std::vector<char> wider = widened(team, graph, band);
    const std::int64_t more = arcs_of_band(team, graph, wider);
    if (more > kMostArcs || more == arcs) break;
    band = std::move(wider);
    arcs = more;
  }
  return band;
}

/// One direction of an edge between vertices of the band's graph.
struct BandArc {
  GuestVertex from;
  GuestVertex to;
  double weight;
};

/// The band's graph, the same on every process. Its vertices are the band's ranks in order, then an anchor for each
/// part.
struct Band {
  Graph graph;
  std::vector<int> block_of;           ///< of each vertex; the parts come first, then the anchors' blocks
  std::vector<std::int64_t> capacity;  ///< of each block
  std::vector<double> distance;
  std::size_t first_own = 0;  ///< vertex of this process' first rank in the band
  std::size_t ranks = 0;
};

std::vector<BandArc> own_arcs(const GuestGraph& graph, const std::vector<GuestVertex>& number,
                              const std::vector<int>& part_of, std::size_t ranks) {
  std::vector<BandArc> arcs;
  for (GuestVertex v = 0; v < graph.own_size(); ++v) {
    const GuestVertex from = number[static_cast<std::size_t>(v)];
    if (from < 0) continue;
    for (const Arc& arc : graph.arcs_of(v)) {
      const auto to = static_cast<std::size_t>(arc.to);
      if (number[to] >= 0) {
        arcs.push_back({from, number[to], arc.weight});
      } else {
        const auto anchor = static_cast<GuestVertex>(ranks) + part_of[to];
        arcs.push_back({from, anchor, arc.weight});
        arcs.push_back({anchor, from, arc.weight});
      }
    }
  }
  return arcs;
}

Graph to_graph(std::vector<BandArc> arcs, std::size_t vertices) {
  std::ranges::stable_sort(arcs, {}, [](const BandArc& arc) { return std::pair(arc.from, arc.to); });
  Graph graph;
  graph.load.assign(vertices, 1);
  graph.first.assign(vertices + 1, 0);
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (i > 0 && arcs[i].from == arcs[i - 1].from && arcs[i].to == arcs[i - 1].to) {
      graph.arcs.back().weight += arcs[i].weight;
    } else {
      graph.arcs.push_back({arcs[i].to, arcs[i].weight});
      ++graph.first[static_cast<std::size_t>(arcs[i].from) + 1];
    }
  }
  for (std::size_t v = 0; v < vertices; ++v) graph.first[v + 1] += graph.first[v];
  return graph;
}

template <class T>
std::vector<T> joined(const std::vector<std::vector<T>>& pieces) {
  std::vector<T> all;
  for (const std::vector<T>& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
  return all;
}

/// `part_of` has the parts of the ghosts as well.
Band gather_band(const Team& team, const GuestGraph& graph, const MachineParts& parts, const std::vector<int>& part_of,
                 const std::vector<char>& inside) {
  Band band;
  std::vector<int> own_parts;
  std::vector<std::int64_t> hidden(parts.size(), 0);  // ranks that the anchors stand for
  for (std::size_t v = 0; v < inside.size(); ++v) {
    if (inside[v] != 0)
      own_parts.push_back(part_of[v]);
    else
      ++hidden[static_cast<std::size_t>(part_of[v])];
  }
  hidden = team.sum(hidden);
  const std::vector<std::vector<int>> pieces = team.gather_at_all(own_parts);
  for (int p = 0; p < team.rank(); ++p) band.first_own += pieces[static_cast<std::size_t>(p)].size();
  band.block_of = joined(pieces);
  band.ranks = band.block_of.size();

  std::vector<GuestVertex> number(inside.size(), -1);
  auto next = static_cast<GuestVertex>(band.first_own);
  for (std::size_t v = 0; v < inside.size(); ++v) {
    if (inside[v] != 0) number[v] = next++;
  }
  graph.add_ghosts(team, number);
  band.graph =
      to_graph(joined(team.gather_at_all(own_arcs(graph, number, part_of, band.ranks))), band.ranks + parts.size());

  const std::size_t blocks = 2 * parts.size();
  band.capacity.assign(blocks, 1);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    band.capacity[p] = parts.capacity[p] - hidden[p];
    band.block_of.push_back(static_cast<int>(parts.size() + p));
  }
  for (std::size_t a = 0; a < blocks; ++a) {
    for (std::size_t b = 0; b < blocks; ++b)
      band.distance.push_back(parts.distance[a % parts.size() * parts.size() + b % parts.size()]);
  }
  return band;
}

/// Works like multilevel::vcycle, except for the size of the clusters: the anchors' blocks do not count, because they
/// hold no cluster.
std::vector<int> cycle(const Band& band, const std::vector<int>& start, const Deadline& deadline, Random& random) {
  const std::size_t parts = band.capacity.size() / 2;
  const std::span<const std::int64_t> real = std::span(band.capacity).first(parts);
  const GuestVertex target = multilevel::coarsest_size({&band.graph, real}, 4);
  const std::int64_t fair = 2 * band.graph.total_load() / target;
  const std::int64_t quarter =
      std::accumulate(real.begin(), real.end(), std::int64_t{0}) / static_cast<std::int64_t>(4 * parts);
  const int limit = static_cast<int>(std::max<std::int64_t>(1, std::min(fair, quarter)));
  const DenseCost cost{band.distance, band.capacity.size()};
  const multilevel::Levels levels(band.graph, target, {limit, start}, deadline, random);
  std::vector<int> block_of = levels.restrict_to_coarsest(start);
  for (std::size_t level = levels.count(); level-- > 0;) {
    if (level + 1 < levels.count()) block_of = levels.project(level, block_of);
    multilevel::refine({&levels.graph(level), band.capacity}, cost, block_of, multilevel::Effort{}, deadline, random);
  }
  return block_of;
}

/// Runs several cycles, as long as they gain.
Member search(const Band& band, std::uint64_t seed, const Deadline& deadline) {
  constexpr int kCycles = 6;
  const multilevel::PartitionProblem problem{&band.graph, band.capacity};
  const DenseCost cost{band.distance, band.capacity.size()};
  Random random(seed);
  Member best = make_member(problem, cost, band.block_of);
  for (int round = 0; round < kCycles && !deadline.passed(); ++round) {
    Member next = make_member(problem, cost, cycle(band, best.block_of, deadline, random));
    if (!next.better_than(best)) break;
    best = std::move(next);
  }
  return best;
}

bool anchors_stayed(const Band& band, const Member& member, std::size_t parts) {
  for (std::size_t p = 0; p < parts; ++p) {
    if (static_cast<std::size_t>(member.block_of[band.ranks + p]) % parts != p) return false;
  }
  return true;
}

}  // namespace

double refine_band(const Team& team, const GuestGraph& graph, const MachineParts& parts, std::vector<int>& part_of,
                   std::uint64_t seed, const Deadline& deadline) {
  std::vector<int> seen = part_of;
  graph.add_ghosts(team, seen);
  const std::vector<char> inside = choose_band(team, graph, seen);
  if (team.sum(std::vector<std::int64_t>{static_cast<std::int64_t>(inside.size())}).front() == 0) return 0;
  const Band band = gather_band(team, graph, parts, seen, inside);
  Member found;
  double gained = 0;
  team.together([&] {
    found = search(band, seed + static_cast<std::uint64_t>(team.rank()), deadline);
    const DenseCost cost{band.distance, band.capacity.size()};
    if (found.overload == 0 && anchors_stayed(band, found, parts.size()))
      gained = multilevel::total_cost(band.graph, cost, band.block_of) - found.cost;
  });
  int winner = 0;
  double most = 0;
  const std::vector<std::vector<double>> gains = team.gather_at_all(std::vector<double>{gained});
  for (int p = 0; p < team.size(); ++p) {
    if (gains[static_cast<std::size_t>(p)].front() > most) {
      most = gains[static_cast<std::size_t>(p)].front();
      winner = p;
    }
  }
  if (most <= 0) return 0;
  team.broadcast(found.block_of, winner);
  std::size_t next = band.first_own;
  for (std::size_t v = 0; v < inside.size(); ++v) {
    if (inside[v] != 0) part_of[v] = found.block_of[next++] % static_cast<int>(parts.size());
  }
  return most;
}

}  // namespace topowise::distributed
