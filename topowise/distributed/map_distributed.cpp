// SPDX-License-Identifier: BSD-3-Clause
// The course of a mapping by several processes:
//   1. the machine is cut into parts along its hierarchy, at least one per process (machine_parts);
//   2. the ranks are divided among the parts by PT-Scotch (pt_scotch), capacities are kept exactly (keep_capacities),
//   the
//      parts are arranged (arrange_parts), and the boundaries are searched with the distances between the parts (band);
//   3. what ranks of one part send each other goes to the process of that part, which maps it with an ordinary mapper;
//   4. the costs and bounds of all processes are added up; the identity stays where no better mapping is found.
#include <topowise/distributed/map_distributed.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <numeric>

#include <topowise/distributed/guest_graph.hpp>
#include <topowise/distributed/machine_parts.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/multilevel/block_cost.hpp>
#include <topowise/mapper/multilevel/evolution.hpp>
#include <topowise/mapper/multilevel/repair.hpp>
#include <topowise/mapper/multilevel/vcycle.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>

namespace topowise::distributed {
namespace {

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

/// Collective. Improves the partition along its boundaries; returns by how much its cost (bytes x distance of the
/// parts) fell. Capacities that were kept are kept.
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

// A partitioner's balance is a goal, not a promise. If a part holds too many ranks, every process moves some of them
// out, in proportion to the ranks of that part that it holds. The processes take turns, so that each knows what
// capacity is left. A process chooses the ranks by what they exchange within the process; the search along the
// boundaries comes afterwards.

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

/// Collective. Moves ranks out of overfull parts until none is; the parts together must hold all. `part_of`
/// has one element for each own vertex.
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

// The partitioner knows no distances. So the parts are arranged afterwards by a small mapping problem, which every
// process solves in the same way: its traffic is what the parts exchange, its places are the parts of the machine.

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

/// Collective. Exchanges whole parts of the same capacity, so that those that talk much are near each other.
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

/// The number that a rank has in a piece of the traffic: how many of the piece's ranks, sorted, are below it.
template <class Index>
Rank number_among(const std::vector<Index>& ranks, Index rank) {
  return Rank(static_cast<std::size_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin()));
}

/// The same question without an imbalance, which is a share of all ranks: a part has only some of them. Places may hold
/// what it allows, if that is the same everywhere.
MapProblem with_capacities(const MapProblem& question) {
  if (!question.imbalance) return question;
  const std::vector<PlaceCapacity> all = place_capacities(question);
  const auto different = [&](const PlaceCapacity& each) { return each.capacity != all.front().capacity; };
  if (std::ranges::any_of(all, different))
    throw bad_input("with --distributed an imbalance needs places of equal capacity", "--ranks-per-place N");
  MapProblem problem = question;
  problem.imbalance.reset();
  problem.ranks_per_place = static_cast<int>(all.front().capacity);
  return problem;
}

struct RankOfPart {
  std::uint32_t rank;
  std::uint32_t part;
};
struct InnerEntry {
  std::uint32_t source;
  std::uint32_t destination;
  std::uint32_t part;
  double bytes;
};
struct Placed {
  std::uint32_t rank;
  std::uint32_t place;
};

/// One part's share of the problem, with the numbers of its ranks in the whole.
struct PartProblem {
  std::vector<std::uint32_t> ranks;
  std::vector<TrafficEntry> entries;
};

class Course {
 public:
  Course(const Team& team, const MapProblem& problem, std::vector<TrafficEntry> entries, const MapOptions& options)
      : team_(team), question_(problem), options_(options), budget_(options), entries_(std::move(entries)) {}

  MappingResult run(const std::string& mapper, const Partitioner& partitioner) {
    const auto start = std::chrono::steady_clock::now();
    team_.together([&] {
      identity_ = map_ranks(question_, "identity").mapping;  // checks the places and their capacities, too
      problem_ = with_capacities(question_);
      parts_ = cut_machine(problem_, static_cast<std::size_t>(team_.size()), budget_.deadline());
    });
    graph_ = std::make_unique<GuestGraph>(team_, problem_.traffic.ranks(), entries_);
    divide(partitioner);
    std::vector<Placed> own = map_parts(mapper);
    std::vector<Place> places = return_places(own);
    const double identity_cost = cost_of(identity_places());
    double cost = cost_of(places);
    if (!(cost < identity_cost)) {
      places = identity_places();
      cost = identity_cost;
    }
    double bound = 0;
    team_.together([&] { bound = own_bound(Budget(options_)); });
    bound = std::min(cost, team_.sum(bound));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {.mapping = Mapping(places_at_first(places)),
            .mapper = "distributed:" + mapper,
            .objective = std::string(to_string(problem_.objective)),
            .metric = std::string(to_string(problem_.metric)),
            .cost = cost,
            .identity_cost = identity_cost,
            .lower_bound = bound,
            .proven_optimal = cost <= bound,
            .seconds = Seconds(seconds),
            .seed = problem_.seed};
  }

 private:
  /// Makes several partitions of a small graph and keeps the best, because bipartition from the top is a matter of
  /// luck.
  void divide(const Partitioner& partitioner) {
    constexpr std::int64_t kFewArcs = std::int64_t{1} << 20;
    constexpr std::uint64_t kTries = 6;
    if (parts_.size() == 1) {
      part_of_.assign(graph_->own().size(), 0);
      return;
    }
    const auto own_arcs = static_cast<std::int64_t>(graph_->arcs().size());
    const std::int64_t arcs = team_.sum(std::vector<std::int64_t>{own_arcs}).front();
    double least = std::numeric_limits<double>::infinity();
    for (std::uint64_t attempt = 0; attempt < (arcs <= kFewArcs ? kTries : 1); ++attempt) {
      std::vector<int> part_of = partition(partitioner, problem_.seed + attempt);
      const double cost = partition_cost(part_of);
      if (!(cost < least)) continue;
      least = cost;
      part_of_ = std::move(part_of);
    }
  }

  [[nodiscard]] std::vector<int> partition(const Partitioner& partitioner, std::uint64_t seed) const {
    constexpr int kRounds = 4;
    std::vector<int> part_of = partitioner(*graph_, parts_, seed);
    arrange_parts(team_, *graph_, parts_, part_of, seed);
    keep_capacities(team_, *graph_, parts_, part_of);
    const auto seeds = static_cast<std::uint64_t>(team_.size());
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      if (refine_band(team_, *graph_, parts_, part_of, seed + round * seeds, budget_.deadline()) <= 0) break;
    }
    return part_of;
  }

  /// Bytes x distance of the parts, counted from both ends of every edge.
  [[nodiscard]] double partition_cost(std::vector<int> part_of) const {
    graph_->add_ghosts(team_, part_of);
    const multilevel::DenseCost cost{parts_.distance, parts_.size()};
    double sum = 0;
    for (GuestVertex v = 0; v < graph_->own_size(); ++v) {
      for (const multilevel::Arc& arc : graph_->arcs_of(v))
        sum += arc.weight * cost(part_of[static_cast<std::size_t>(v)], part_of[static_cast<std::size_t>(arc.to)]);
    }
    return team_.sum(sum);
  }

  /// The problems of the parts that this process maps.
  std::vector<PartProblem> collect_parts(std::size_t& first_part) {
    const auto processes = static_cast<std::size_t>(team_.size());
    std::vector<std::vector<RankOfPart>> members(processes);
    std::vector<std::vector<InnerEntry>> inner(processes);
    std::vector<int> seen = part_of_;
    graph_->add_ghosts(team_, seen);
    const auto process_of = [&](int part) {
      return static_cast<std::size_t>(parts_.process_of(static_cast<std::size_t>(part), team_.size()));
    };
    for (std::size_t v = 0; v < part_of_.size(); ++v)
      members[process_of(part_of_[v])].push_back(
          {static_cast<std::uint32_t>(graph_->own().first + v), static_cast<std::uint32_t>(part_of_[v])});
    for (const TrafficEntry& entry : entries_) {
      if (entry.source == entry.destination || !(entry.bytes.value() > 0)) continue;
      const int part = seen[static_cast<std::size_t>(graph_->local_of(entry.source.index()))];
      if (seen[static_cast<std::size_t>(graph_->local_of(entry.destination.index()))] != part) continue;
      inner[process_of(part)].push_back({static_cast<std::uint32_t>(entry.source.index()),
                                         static_cast<std::uint32_t>(entry.destination.index()),
                                         static_cast<std::uint32_t>(part), entry.bytes.value()});
    }
    first_part = 0;
    while (first_part < parts_.size() &&
           process_of(static_cast<int>(first_part)) < static_cast<std::size_t>(team_.rank()))
      ++first_part;
    std::size_t end = first_part;
    while (end < parts_.size() && process_of(static_cast<int>(end)) == static_cast<std::size_t>(team_.rank())) ++end;

    std::vector<PartProblem> problems(end - first_part);
    for (const std::vector<RankOfPart>& piece : team_.exchange(members)) {  // pieces come in the order of their ranks
      for (const RankOfPart& member : piece) problems[member.part - first_part].ranks.push_back(member.rank);
    }
    for (const std::vector<InnerEntry>& piece : team_.exchange(inner)) {
      for (const InnerEntry& entry : piece) {
        PartProblem& part = problems[entry.part - first_part];
        part.entries.push_back(
            {number_among(part.ranks, entry.source), number_among(part.ranks, entry.destination), Bytes(entry.bytes)});
      }
    }
    return problems;
  }

  std::vector<Placed> map_parts(const std::string& mapper) {
    std::size_t first_part = 0;
    std::vector<PartProblem> problems = collect_parts(first_part);
    std::vector<Placed> placed;
    team_.together([&] {
      for (std::size_t i = 0; i < problems.size(); ++i) {
        PartProblem& part = problems[i];
        if (part.ranks.empty()) continue;
        MapProblem inner = problem_;
        inner.traffic = Traffic::from_entries(part.ranks.size(), std::move(part.entries));
        inner.allowed = parts_.places[first_part + i];
        MapOptions share = options_;
        share.time_limit = std::max(budget_.deadline().left() / static_cast<double>(problems.size() - i), kLeast);
        if (team_.size() > 1) share.threads = 1;  // the launcher decides how many processes run
        const Mapping mapping = map_ranks(inner, mapper, share).mapping;
        for (std::size_t r = 0; r < part.ranks.size(); ++r)
          placed.push_back({part.ranks[r], static_cast<std::uint32_t>(mapping[Rank(r)].index())});
      }
    });
    return placed;
  }

  /// Collects the places of the ranks of this process' piece from the processes that mapped them.
  std::vector<Place> return_places(const std::vector<Placed>& placed) {
    std::vector<std::vector<Placed>> outgoing(static_cast<std::size_t>(team_.size()));
    for (const Placed& one : placed) outgoing[static_cast<std::size_t>(graph_->owner_of(one.rank))].push_back(one);
    std::vector<Place> places(graph_->own().size());
    for (const std::vector<Placed>& piece : team_.exchange(outgoing)) {
      for (const Placed& one : piece) places[one.rank - graph_->own().first] = Place(one.place);
    }
    return places;
  }

  [[nodiscard]] std::vector<Place> identity_places() const {
    const std::span<const Place> all = identity_.places();
    return {all.begin() + static_cast<std::ptrdiff_t>(graph_->own().first),
            all.begin() + static_cast<std::ptrdiff_t>(graph_->own().end)};
  }

  /// The hop-bytes of the whole mapping.
  double cost_of(std::vector<Place> places) const {
    graph_->add_ghosts(team_, places);
    double sum = 0;
    team_.together([&] {
      for (const TrafficEntry& entry : entries_) {
        if (entry.source == entry.destination || !(entry.bytes.value() > 0)) continue;
        const Place from = places[static_cast<std::size_t>(graph_->local_of(entry.source.index()))];
        const Place to = places[static_cast<std::size_t>(graph_->local_of(entry.destination.index()))];
        sum += entry.bytes.value() * problem_.topology.pair_cost(problem_.metric, from, to);
      }
    });
    return team_.sum(sum);
  }

  /// A lower bound of the cost of this piece of the traffic. The sum over all pieces is a bound of the whole, because
  /// the least of a sum is at least the sum of the leasts.
  [[nodiscard]] double own_bound(const Budget& budget) const {
    std::vector<std::size_t> ranks;
    for (const TrafficEntry& entry : entries_) {
      ranks.push_back(entry.source.index());
      ranks.push_back(entry.destination.index());
    }
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    if (ranks.empty()) return 0;
    std::vector<TrafficEntry> entries;
    for (const TrafficEntry& entry : entries_)
      entries.push_back(
          {number_among(ranks, entry.source.index()), number_among(ranks, entry.destination.index()), entry.bytes});
    MapProblem piece = problem_;
    piece.traffic = Traffic::from_entries(ranks.size(), std::move(entries));
    return lower_bound(piece, budget);
  }

  [[nodiscard]] std::vector<Place> places_at_first(const std::vector<Place>& own) const {
    std::vector<std::vector<Place>> outgoing(static_cast<std::size_t>(team_.size()));
    outgoing[0] = own;
    std::vector<Place> all;
    for (const std::vector<Place>& piece : team_.exchange(outgoing)) all.insert(all.end(), piece.begin(), piece.end());
    return all;
  }

  static constexpr Seconds kLeast{0.05};  ///< for a part, even when it is late
  const Team& team_;
  const MapProblem& question_;
  MapProblem problem_ = question_;  ///< with capacities in place of an imbalance
  const MapOptions& options_;
  Budget budget_;
  std::vector<TrafficEntry> entries_;
  Mapping identity_{std::vector<Place>{}};
  MachineParts parts_;
  std::unique_ptr<GuestGraph> graph_;
  std::vector<int> part_of_;
};

}  // namespace

MappingResult map_distributed(const Team& team, const MapProblem& problem, std::vector<TrafficEntry> entries,
                              const std::string& mapper, const Partitioner& partitioner, const MapOptions& options) {
  return Course(team, problem, std::move(entries), options).run(mapper, partitioner);
}

}  // namespace topowise::distributed
