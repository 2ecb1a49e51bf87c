// SPDX-License-Identifier: BSD-3-Clause
// Karypis and Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs" (SIAM J. Sci.
// Comput. 20(1), 1998), with terminals (Dunlop and Kernighan 1985): a vertex that exchanges bytes with vertices outside
// of the graph is pulled towards the side that is nearer to them. A pull is a number for each vertex, and a coarser
// vertex has the sum, so the searches need not know where it comes from.
#include <topowise/mapper/network/graph_halves.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

namespace topowise {
namespace {

using multilevel::Arc;
using multilevel::Graph;
using multilevel::GuestVertex;
using Sides = std::vector<std::uint8_t>;

constexpr GuestVertex kFewVertices = 80;  ///< where coarsening ends

std::size_t at(GuestVertex v) {
  return static_cast<std::size_t>(v);
}

/// A graph with fewer vertices: each is one or two of the finer graph.
struct Coarser {
  Graph graph;
  std::vector<double> pull;
  std::vector<GuestVertex> of;  ///< by vertex of the finer graph
};

/// Partners by heavy edges, each vertex with the neighbour that is tied strongest to it, in random order.
std::vector<GuestVertex> match(const Graph& graph, int most_load, Random& random) {
  std::vector<GuestVertex> order(at(graph.size()));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  std::vector<GuestVertex> partner(order.size(), -1);
  for (const GuestVertex v : order) {
    if (partner[at(v)] >= 0) continue;
    GuestVertex best = v;
    double heaviest = 0;
    for (const Arc& arc : graph.arcs_of(v)) {
      const bool fits =
          partner[at(arc.to)] < 0 && arc.to != v && graph.load[at(v)] + graph.load[at(arc.to)] <= most_load;
      if (!fits || arc.weight <= heaviest) continue;
      heaviest = arc.weight;
      best = arc.to;
    }
    partner[at(v)] = best;
    partner[at(best)] = v;
  }
  return partner;
}

Coarser coarsen(const Graph& graph, std::span<const double> pull, int most_load, Random& random) {
  const std::vector<GuestVertex> partner = match(graph, most_load, random);
  Coarser next;
  next.of.assign(partner.size(), -1);
  std::vector<GuestVertex> first;
  for (GuestVertex v = 0; v < graph.size(); ++v) {
    if (partner[at(v)] < v) continue;
    next.of[at(v)] = next.of[at(partner[at(v)])] = static_cast<GuestVertex>(first.size());
    first.push_back(v);
  }
  std::vector<std::int64_t> where(first.size(), -1);  // of an arc to that vertex, in the row being written
  next.graph.arcs.reserve(graph.arcs.size() / 2);
  for (GuestVertex c = 0; c < static_cast<GuestVertex>(first.size()); ++c) {
    const auto begin = static_cast<std::int64_t>(next.graph.arcs.size());
    int load = 0;
    double drawn = 0;
    const GuestVertex one = first[at(c)];
    const GuestVertex other = partner[at(one)];
    for (const GuestVertex v : {one, other}) {
      if (v == one && load > 0) break;  // it found no partner
      load += graph.load[at(v)];
      drawn += pull[at(v)];
      for (const Arc& arc : graph.arcs_of(v)) {
        const GuestVertex to = next.of[at(arc.to)];
        if (to == c) continue;
        if (where[at(to)] < begin) {
          where[at(to)] = static_cast<std::int64_t>(next.graph.arcs.size());
          next.graph.arcs.push_back({to, 0});
        }
        next.graph.arcs[static_cast<std::size_t>(where[at(to)])].weight += arc.weight;
      }
    }
    next.graph.load.push_back(load);
    next.pull.push_back(drawn);
    next.graph.first.push_back(static_cast<std::int64_t>(next.graph.arcs.size()));
  }
  return next;
}

/// Fiduccia-Mattheyses between two sides.
class Refinement {
 public:
  explicit Refinement(const HalvingProblem& problem) : problem_(problem), graph_(*problem.graph) {}

  /// Passes until one gains nothing, at most `passes`.
  void run(Sides& side, int passes) {
    side_ = &side;
    for (int pass = 0; pass < passes && improves(); ++pass) {
    }
  }

  [[nodiscard]] std::pair<std::int64_t, double> quality(const Sides& side) const {
    double cost = 0;
    std::int64_t low = 0;
    for (GuestVertex v = 0; v < graph_.size(); ++v) {
      if (side[at(v)] == 0) low += graph_.load[at(v)];
      if (side[at(v)] == 1) cost += problem_.pull[at(v)];
      for (const Arc& arc : graph_.arcs_of(v)) {
        if (side[at(v)] != side[at(arc.to)]) cost += arc.weight * problem_.edge_cost / 2;
      }
    }
    return {excess(low), cost};
  }

 private:
  using Entry = std::pair<double, GuestVertex>;

  [[nodiscard]] std::int64_t excess(std::int64_t low) const {
    return std::max<std::int64_t>({0, low - problem_.most_low, problem_.least_low - low});
  }

  [[nodiscard]] double gain(GuestVertex v) const {
    const std::uint8_t here = (*side_)[at(v)];
    double ties = 0;
    for (const Arc& arc : graph_.arcs_of(v)) ties += (*side_)[at(arc.to)] == here ? -arc.weight : arc.weight;
    return ties * problem_.edge_cost + (here == 1 ? problem_.pull[at(v)] : -problem_.pull[at(v)]);
  }

  [[nodiscard]] bool is_on_border(GuestVertex v) const {
    return std::ranges::any_of(graph_.arcs_of(v),
                               [&](const Arc& arc) { return (*side_)[at(arc.to)] != (*side_)[at(v)]; });
  }

  void begin() {
    const std::size_t n = side_->size();
    gain_.assign(n, 0);
    is_queued_.assign(n, false);
    is_moved_.assign(n, false);
    low_ = 0;
    for (GuestVertex v = 0; v < graph_.size(); ++v) {
      if ((*side_)[at(v)] == 0) low_ += graph_.load[at(v)];
    }
    for (auto& queue : queue_) queue = {};
    constexpr std::size_t kQueuesAll = 500;
    const bool all = n <= kQueuesAll || excess(low_) > 0;
    for (GuestVertex v = 0; v < graph_.size(); ++v) {
      if (all || is_on_border(v)) put(v);
    }
  }

  void put(GuestVertex v) {
    if (is_moved_[at(v)]) return;
    is_queued_[at(v)] = true;
    gain_[at(v)] = gain(v);
    queue_[(*side_)[at(v)]].emplace(gain_[at(v)], v);
  }

  /// The best vertex of a side that is not out of date; -1 if there is none.
  GuestVertex best_of(std::size_t from) {
    auto& queue = queue_[from];
    while (!queue.empty()) {
      const auto [value, v] = queue.top();
      if (!is_moved_[at(v)] && (*side_)[at(v)] == from && gain_[at(v)] == value) return v;
      queue.pop();
    }
    return -1;
  }

  /// The vertex to move: from the side that is too full, else the better one of those that keep near to the limits.
  GuestVertex choose(std::int64_t slack) {
    const GuestVertex low = best_of(0);
    const GuestVertex high = best_of(1);
    if (low_ > problem_.most_low) return low;
    if (low_ < problem_.least_low) return high;
    const bool may_shrink = low >= 0 && low_ - graph_.load[at(low)] >= problem_.least_low - slack;
    const bool may_grow = high >= 0 && low_ + graph_.load[at(high)] <= problem_.most_low + slack;
    if (may_shrink && may_grow) return gain_[at(low)] >= gain_[at(high)] ? low : high;
    return may_shrink ? low : may_grow ? high : -1;
  }

  void move(GuestVertex v) {
    std::uint8_t& here = (*side_)[at(v)];
    low_ += here == 0 ? -graph_.load[at(v)] : graph_.load[at(v)];
    here = here == 0 ? 1 : 0;
    is_moved_[at(v)] = true;
    for (const Arc& arc : graph_.arcs_of(v)) {
      const GuestVertex to = arc.to;
      if (is_moved_[at(to)]) continue;
      if (!is_queued_[at(to)]) {
        put(to);
        continue;
      }
      const double change = 2 * arc.weight * problem_.edge_cost;
      gain_[at(to)] += (*side_)[at(to)] == here ? -change : change;
      queue_[(*side_)[at(to)]].emplace(gain_[at(to)], to);
    }
  }

  bool improves() {
    begin();
    const std::size_t idle_moves = std::max<std::size_t>(50, side_->size() / 100);
    const std::int64_t slack = std::max(1, graph_.largest_load());
    std::pair<std::int64_t, double> best{excess(low_), 0};
    const std::pair<std::int64_t, double> before = best;
    double cost = 0;
    std::vector<GuestVertex> moved;
    std::size_t kept = 0;
    while (moved.size() < kept + idle_moves) {
      const GuestVertex v = choose(slack);
      if (v < 0) break;
      cost -= gain_[at(v)];
      move(v);
      moved.push_back(v);
      const std::pair<std::int64_t, double> here{excess(low_), cost};
      if (here.first > best.first || (here.first == best.first && here.second >= best.second - kRounding * scale()))
        continue;
      best = here;
      kept = moved.size();
    }
    for (std::size_t i = moved.size(); i-- > kept;) (*side_)[at(moved[i])] ^= 1;
    return best < before;
  }

  /// A gain below this share of an edge is rounding.
  static constexpr double kRounding = 1e-12;
  [[nodiscard]] double scale() const { return std::abs(problem_.edge_cost); }

  const HalvingProblem& problem_;
  const Graph& graph_;
  Sides* side_ = nullptr;
  std::int64_t low_ = 0;
  std::vector<double> gain_;
  std::vector<bool> is_queued_;
  std::vector<bool> is_moved_;
  std::priority_queue<Entry> queue_[2];
};

/// The low side grows from one vertex by the vertex that costs least there: from the one that is drawn to it most, or
/// from any.
Sides grow(const HalvingProblem& problem, bool from_drawn, Random& random) {
  const Graph& graph = *problem.graph;
  Sides side(at(graph.size()), 1);
  std::vector<double> worth(side.size(), 0);
  std::priority_queue<std::pair<double, GuestVertex>> front;
  const auto push = [&](GuestVertex v) { front.emplace(worth[at(v)], v); };
  for (GuestVertex v = 0; v < graph.size(); ++v) worth[at(v)] = problem.pull[at(v)];
  const auto first = static_cast<GuestVertex>(random.below(static_cast<std::uint32_t>(graph.size())));
  const auto drawn = std::ranges::max_element(problem.pull);
  push(from_drawn && *drawn > 0 ? static_cast<GuestVertex>(drawn - problem.pull.begin()) : first);
  const std::int64_t wanted = (problem.least_low + problem.most_low) / 2;
  std::int64_t low = 0;
  for (GuestVertex next = first, seen = 0; low < wanted && seen < graph.size();) {
    if (front.empty()) {  // another component
      if (side[at(next)] == 1) push(next);
      next = (next + 1) % graph.size();
      ++seen;
      continue;
    }
    const auto [value, v] = front.top();
    front.pop();
    if (side[at(v)] == 0 || worth[at(v)] != value) continue;
    if (low > 0 && low + graph.load[at(v)] / 2 > wanted) break;
    side[at(v)] = 0;
    low += graph.load[at(v)];
    for (const Arc& arc : graph.arcs_of(v)) {
      worth[at(arc.to)] += 2 * arc.weight * problem.edge_cost;
      if (side[at(arc.to)] == 1) push(arc.to);
    }
  }
  return side;
}

/// On a coarse graph the limits leave room for the loads of its vertices.
HalvingProblem widened(const HalvingProblem& problem) {
  HalvingProblem wide = problem;
  const std::int64_t room = problem.graph->largest_load() > 1 ? problem.graph->largest_load() / 2 : 0;
  wide.least_low = std::max<std::int64_t>(0, problem.least_low - room);
  wide.most_low = problem.most_low + room;
  return wide;
}

Sides best_growth(const HalvingProblem& problem, int tries, Random& random) {
  constexpr int kPasses = 8;
  Sides best;
  std::pair<std::int64_t, double> least{};
  for (int i = 0; i < tries; ++i) {
    Sides side = grow(problem, i == 0, random);
    Refinement refinement(problem);
    refinement.run(side, kPasses);
    const auto quality = refinement.quality(side);
    if (!best.empty() && quality >= least) continue;
    least = quality;
    best = std::move(side);
  }
  return best;
}

}  // namespace

std::vector<std::uint8_t> halve(const HalvingProblem& problem, int tries, Random& random) {
  constexpr int kPasses = 4;
  constexpr double kShrinks = 0.95;  // a matching that leaves more vertices is not worth another
  std::vector<Coarser> levels;
  HalvingProblem here = problem;
  const auto total = problem.graph->total_load();
  const int most_load = static_cast<int>(std::clamp<std::int64_t>(total / 20, 1, std::numeric_limits<int>::max()));
  std::vector<HalvingProblem> problems{problem};
  levels.reserve(64);
  while (here.graph->size() > kFewVertices && levels.size() < levels.capacity()) {
    Coarser next = coarsen(*here.graph, here.pull, most_load, random);
    if (next.graph.size() > kShrinks * here.graph->size()) break;
    levels.push_back(std::move(next));
    here.graph = &levels.back().graph;
    here.pull = levels.back().pull;
    problems.push_back(widened(here));
  }
  Sides side = best_growth(problems.back(), tries, random);
  for (std::size_t level = levels.size(); level-- > 0;) {
    Sides finer(levels[level].of.size());
    for (std::size_t v = 0; v < finer.size(); ++v) finer[v] = side[at(levels[level].of[v])];
    side = std::move(finer);
    Refinement(problems[level]).run(side, kPasses);
  }
  return side;
}

}  // namespace topowise
