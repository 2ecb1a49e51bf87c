// SPDX-License-Identifier: BSD-3-Clause
// The course of a search:
//   1. the machine becomes a hierarchy over blocks of places (multilevel/host), the traffic an undirected graph;
//   2. multisection: ranks to blocks from the top of the hierarchy down, each division by multilevel partitioning with
//      evolution (multilevel/multisection, vcycle, evolution);
//   3. refinement of the whole mapping with the true cost: over all levels of a coarsening that respects it, and a
//      search by exchanges (SwapSearch);
//   4. on a machine that is no hierarchy also placement by the shape of the traffic (multilevel/metric_matching);
//   5. the ranks in order, if that is better.
// It runs twice, first with a plan that takes a tenth of the time, so that there is an answer early; what the clock
// cuts is dropped; on a hierarchy, parts for which nothing was found yet stay in order. So more time never makes the
// answer worse.
#include <topowise/mapper/problem/mapper_functions.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/multilevel/evolution.hpp>
#include <topowise/mapper/multilevel/exact_sums.hpp>
#include <topowise/mapper/multilevel/host.hpp>
#include <topowise/mapper/multilevel/metric_matching.hpp>
#include <topowise/mapper/multilevel/multisection.hpp>
#include <topowise/mapper/multilevel/vcycle.hpp>
#include <topowise/mapper/network/network_mapping.hpp>
#include <topowise/mapper/problem/best_answer.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/pace.hpp>

namespace topowise {
namespace {

using namespace multilevel;

// Local search by exchanging two ranks, for machines where every place is taken and no single move is possible. There
// are few candidates: a rank gains where its partners are, so it is exchanged with the ranks of their blocks and of the
// blocks nearest to these, as in the sparse neighbourhoods of Brandfass, Alrutz and Gerhold, "Rank reordering for MPI
// communication optimization" (Computers & Fluids 80, 2013) and Schulz and Traeff, "Better process mapping and sparse
// quadratic assignment" (SEA 2017). A gain costs O(partners).

template <class Cost>
class SwapSearch {
 public:
  /// `near` has an arc from a block to each block that counts as near to it; without it only the partners' own blocks
  /// are tried. All vertices must have load 1.
  SwapSearch(const Graph& graph, const Cost& cost, std::size_t blocks, const Graph* near, std::vector<int>& block_of)
      : graph_(graph), cost_(cost), near_(near), block_of_(block_of), members_(blocks) {
    for (std::size_t v = 0; v < block_of.size(); ++v)
      members_[static_cast<std::size_t>(block_of[v])].push_back(static_cast<GuestVertex>(v));
  }

  /// Sweeps until no candidate gains, at most `sweeps` times. Returns by how much the cost fell.
  double run(int sweeps, const Deadline& deadline, Random& random) {
    std::vector<GuestVertex> order(block_of_.size());
    for (std::size_t v = 0; v < order.size(); ++v) order[v] = static_cast<GuestVertex>(v);
    double sum = 0;
    for (int sweep = 0; sweep < sweeps && !deadline.passed(); ++sweep) {
      random.shuffle(std::span(order));
      double gained = 0;
      for (std::size_t i = 0; i < order.size() && !(i % 256 == 0 && deadline.passed()); ++i)
        gained += improve(order[i]);
      sum += gained;
      if (gained <= 0) break;
    }
    return sum;
  }

 private:
  static constexpr std::size_t kMostTried = 8;  ///< blocks with a rank's partners, those of the heaviest first
  struct Tie {
    int block;
    double weight;
  };
  struct Best {
    double gain = 0;
    GuestVertex partner = -1;
  };

  void add_block(int block, double weight) {
    const auto found = std::ranges::find(blocks_, block, &Tie::block);
    if (found == blocks_.end()) {
      blocks_.push_back({block, weight});
    } else {
      found->weight += weight;
    }
  }

  double improve(GuestVertex v) {
    blocks_.clear();
    for (const Arc& arc : graph_.arcs_of(v)) add_block(block_of_[static_cast<std::size_t>(arc.to)], arc.weight);
    if (blocks_.size() > kMostTried) {
      std::ranges::nth_element(blocks_, blocks_.begin() + kMostTried, [](const Tie& a, const Tie& b) {
        return a.weight > b.weight || (a.weight == b.weight && a.block < b.block);
      });
      blocks_.resize(kMostTried);
    }
    Best best;
    for (const Tie& tie : blocks_) {
      try_members(v, tie.block, best);
      if (near_ == nullptr) continue;
      for (const Arc& next : near_->arcs_of(tie.block)) try_members(v, next.to, best);
    }
    if (best.partner < 0) return 0;
    exchange(v, best.partner);
    return best.gain;
  }

  void try_members(GuestVertex v, int block, Best& best) const {
    if (block == block_of_[static_cast<std::size_t>(v)]) return;
    const int own = block_of_[static_cast<std::size_t>(v)];
    const double mine = gain_of(v, block);
    if (mine <= 0) return;  // if the other gains more than v loses, it finds this exchange itself
    for (const GuestVertex other : members_[static_cast<std::size_t>(block)]) {
      const double gain = mine + gain_of(other, own) - correction(v, other);
      if (gain > best.gain) best = {gain, other};
    }
  }

  /// The gain of moving v while all others stay.
  [[nodiscard]] double gain_of(GuestVertex v, int to) const {
    const int from = block_of_[static_cast<std::size_t>(v)];
    double gain = 0;
    for (const Arc& arc : graph_.arcs_of(v)) {
      const int there = block_of_[static_cast<std::size_t>(arc.to)];
      gain += arc.weight * (cost_(from, there) - cost_(to, there));
    }
    return gain;
  }

  /// Both gains count the edge between the two as if it became short; in fact both ends move.
  [[nodiscard]] double correction(GuestVertex v, GuestVertex other) const {
    const int a = block_of_[static_cast<std::size_t>(v)];
    const int b = block_of_[static_cast<std::size_t>(other)];
    for (const Arc& arc : graph_.arcs_of(v)) {
      if (arc.to == other) return arc.weight * (2 * cost_(a, b) - cost_(a, a) - cost_(b, b));
    }
    return 0;
  }

  void exchange(GuestVertex v, GuestVertex other) {
    int& a = block_of_[static_cast<std::size_t>(v)];
    int& b = block_of_[static_cast<std::size_t>(other)];
    std::ranges::replace(members_[static_cast<std::size_t>(a)], v, other);
    std::ranges::replace(members_[static_cast<std::size_t>(b)], other, v);
    std::swap(a, b);
  }

  const Graph& graph_;
  const Cost& cost_;
  const Graph* near_;
  std::vector<int>& block_of_;
  std::vector<std::vector<GuestVertex>> members_;
  std::vector<Tie> blocks_;  ///< of the partners of the rank looked at
};

/// How much work a search spends, by the size of the problem.
struct SearchPlan {
  Effort division;  ///< for each division of the hierarchy
  Effort whole;     ///< for searches over the whole machine
  int tops = 1;     ///< whole mappings, from the best divisions at the top of the hierarchy
  int cycles = 1;   ///< of coarsening and refinement with the true cost, fewer if one gains nothing
  /// Makes the cycles also on a hierarchy, although its divisions were refined already, by what each level adds to that
  /// cost.
  bool cycles_on_hierarchy = true;
  int sweeps = 1;     ///< of exchanges
  int matchings = 0;  ///< placements by shape, of which the best is refined
};

constexpr int kFewest = 10;  ///< fewer children are not worth a population
constexpr int kMost = 300;
constexpr double kFewArcs = 1e4;
constexpr double kManyArcs = 1e6;
constexpr double kHugeArcs = 4e6;  ///< one search takes so long that a second one like it is not worth its time

bool is_huge(const Graph& graph) {
  return static_cast<double>(graph.arcs.size()) > kHugeArcs;
}

/// One or two partitions of each division, refined once: for those who cannot wait.
SearchPlan plan_fast(const Graph& graph, int threads) {
  SearchPlan plan;
  plan.division.bisection_tries = 2;
  plan.division.members = is_huge(graph) ? 1 : 2;
  plan.division.threads = threads;
  plan.whole.rounds = is_huge(graph) ? 1 : 2;
  // On a 27-point stencil, a random geometric and a power-law graph the cycles took a quarter to a half of all time and
  // gained 0.01 % at most. Ranks with loads keep them, because they have no exchanges before.
  if (is_huge(graph) && graph.largest_load() <= 1) plan.cycles_on_hierarchy = false;
  plan.sweeps = 2;
  plan.matchings = 4;
  return plan;
}

/// Plans by the number of edges, so that the answer does not depend on how fast the machine is. `threads` is only
/// passed on. Nothing for a graph so large that it would hardly do more than plan_fast().
std::optional<SearchPlan> plan_search(const Graph& graph, int threads) {
  if (is_huge(graph)) return std::nullopt;
  SearchPlan plan;
  const auto arcs = static_cast<double>(std::max<std::size_t>(graph.arcs.size(), 1));
  // One child costs time in proportion to the arcs. The work for all of them grows slower than the graph, so that small
  // problems are searched well; from some hundred thousand arcs on it grows no more.
  // Where ranks have many partners, cuts are larger and partitions differ more: they are worth more children.
  const double partners = arcs / static_cast<double>(std::max<GuestVertex>(graph.size(), 1));
  const double most = 1e7 / arcs * std::clamp(partners / 10, 1.0, 1.6);
  const int generations = static_cast<int>(std::min(1000.0 * std::pow(arcs, -0.25), most));
  plan.division.generations = generations < kFewest ? 0 : std::min(generations, kMost);
  // First partitions vary more in a large graph; and those of its coarsest level take a small part of the time.
  plan.division.members = std::clamp(plan.division.generations / (arcs < kFewArcs ? 5 : 3), 1, 40);
  plan.division.bisection_tries = arcs < kFewArcs ? 4 : 16;
  plan.division.threads = threads;
  plan.tops = static_cast<int>(std::clamp(7e3 / arcs, 1.0, 12.0));
  plan.cycles = arcs < kManyArcs ? 4 : 1;
  plan.sweeps = arcs < kManyArcs ? 8 : 2;
  plan.matchings = static_cast<int>(std::clamp(2e5 / arcs, 8.0, 64.0));
  return plan;
}

/// More of everything than plan_search(), which ends early on small problems: where cuts may not vary in size, the
/// best of several such searches is some 2 % below one.
SearchPlan plan_again(SearchPlan plan) {
  constexpr int kMore = 4;
  plan.division.generations *= kMore;
  plan.division.members *= kMore;
  return plan;
}

/// How many arcs a search on a hierarchy looks at, once for each partition that it makes: a measure of its work.
double arcs_of(const SearchPlan& plan, const Graph& graph, const Host& host) {
  constexpr double kBelowTop = 40;  // partitions of each division below the top, at most, and cycles
  double levels = 0;
  for (const HostNode* node = &host.nodes().front(); node->children > 0; node = &host.children_of(*node).front())
    ++levels;
  const double at_top = plan.division.members + plan.division.generations;
  return static_cast<double>(graph.arcs.size()) * (at_top + plan.tops * levels * kBelowTop);
}

/// At most what arcs_of() gives, known before the graph is made.
double least_arcs(const MapProblem& problem) {
  constexpr double kFewestPartitions = 8;
  return kFewestPartitions * static_cast<double>(std::max<std::size_t>(problem.traffic.entries().size(), 1));
}

// Searches from other seeds end when they have gained nothing for a while: after a few, and after a multiple of those
// that led to the best.
constexpr std::size_t kFewestAgain = 6;
constexpr std::size_t kIdleFactor = 3;

constexpr std::size_t kMostNeighbours = 64;  ///< of a block, on the average; a machine with more has no shape

void check_capacity(const MapProblem& problem) {
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  const std::size_t capacity = std::accumulate(
      all.begin(), all.end(), std::size_t{0}, [](std::size_t sum, const PlaceCapacity& r) { return sum + r.capacity; });
  if (capacity >= problem.traffic.ranks()) return;
  throw bad_input(fmt::format("{} ranks do not fit on '{}', which holds {}", problem.traffic.ranks(),
                              problem.topology.name(), capacity),
                  "--ranks-per-place N lets N ranks share a place");
}

/// Improves by exchanges and moves with the true cost. `near` is null for a hierarchy, and for a machine without a
/// shape. A cycle that the deadline cuts is dropped.
template <class Cost>
Member polish(const PartitionProblem& whole, const Cost& cost, const Graph* near, std::vector<int> block_of,
              const SearchPlan& plan, const Deadline& deadline, Random& random) {
  if (whole.graph->largest_load() <= 1)  // ranks of different loads cannot simply change places
    SwapSearch<Cost>(*whole.graph, cost, whole.capacity.size(), near, block_of).run(plan.sweeps, deadline, random);
  Member best = make_member(whole, cost, std::move(block_of));
  const int cycles = near != nullptr || plan.cycles_on_hierarchy ? plan.cycles : 0;
  for (int cycle = 0; cycle < cycles && !deadline.passed(); ++cycle) {
    Member next =
        make_member(whole, cost, vcycle(whole, cost, best.block_of, best.block_of, plan.whole, deadline, random));
    if (deadline.passed() || !next.better_than(best)) break;
    best = std::move(next);
  }
  return best;
}

/// The best of several placements by shape.
template <class Cost>
Member matched(const PartitionProblem& whole, const Cost& cost, const Graph& near, int tries, const Deadline& deadline,
               Random& random) {
  Member best;
  for (int i = 0; i == 0 || (i < tries && !deadline.passed()); ++i) {
    Member member = make_member(whole, cost, match_metric(*whole.graph, near, random));
    if (i == 0 || member.better_than(best)) best = std::move(member);
  }
  return best;
}

/// The best mapping that one plan finds, among those that the deadline leaves whole.
template <class Cost>
Member search(const Graph& graph, const Host& host, const Cost& cost, double bound, const SearchPlan& plan,
              const Deadline& deadline, Random& random) {
  const PartitionProblem whole{&graph, host.capacity()};
  std::optional<Graph> near;
  if (!host.is_hierarchy()) near = nearest_neighbours(host.table(), host.blocks(), kMostNeighbours * host.blocks());
  const Graph* near_blocks = near ? &*near : nullptr;
  std::vector<Member> members;
  if (near && graph.size() <= static_cast<GuestVertex>(host.blocks()) && graph.largest_load() <= 1) {
    Member start = matched(whole, cost, *near, plan.matchings, deadline, random);
    members.push_back(polish(whole, cost, near_blocks, std::move(start.block_of), plan, deadline, random));
    if (members.back().cost <= bound || deadline.passed()) return members.back();
  }
  const std::vector<std::int64_t> compact = compact_capacity(host, graph.total_load());
  Divisions divisions = multisection(graph, host, compact, plan.tops, plan.division, deadline, random);
  for (std::vector<int>& start : divisions.divided)
    members.push_back(polish(whole, cost, near_blocks, std::move(start), plan, deadline, random));
  members.push_back(make_member(whole, cost, std::move(divisions.in_order)));
  return best_of(members);
}

std::vector<GuestVertex> composed(std::span<const GuestVertex> first, std::span<const GuestVertex> second) {
  std::vector<GuestVertex> result;
  result.reserve(second.size());
  for (const GuestVertex v : second) result.push_back(first[static_cast<std::size_t>(v)]);
  return result;
}

/// Renumbers a graph that may be larger than the processor's caches, so that ranks in order are a mapping to begin
/// with. Returns what each vertex was before; nothing if the graph stayed as it was.
std::vector<GuestVertex> put_neighbours_together(Graph& graph, const Deadline& deadline, std::uint64_t seed) {
  constexpr GuestVertex kFitsCache = 4096;
  if (graph.size() <= kFitsCache) return {};
  std::vector<GuestVertex> order = breadth_first_order(graph);  // makes what follows faster
  graph = renumbered(graph, order);
  if (deadline.passed()) return order;
  Random random(seed);
  const std::vector<GuestVertex> clustered = clustered_order(graph, deadline, random);
  graph = renumbered(graph, clustered);
  return composed(order, clustered);
}

std::vector<int> in_first_order(std::span<const int> block_of, std::span<const GuestVertex> order) {
  std::vector<int> result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[static_cast<std::size_t>(order[i])] = block_of[i];
  return result;
}

/// A stage of a mapper.
struct Plan {
  std::string_view name;
  std::optional<SearchPlan> (*of)(const Graph&, int threads);  ///< nothing where the plan before did as much
  NetworkEffort on_network;                                    ///< in place of it on a large regular network
};

constexpr Plan kFast{"multilevel-fast",
                     [](const Graph& graph, int threads) { return std::optional(plan_fast(graph, threads)); },
                     {.tries = 2, .sweeps = 4}};
constexpr Plan kThorough{"multilevel", plan_search, {.tries = 8, .sweeps = 40, .anneals = true}};

/// The machine and the traffic as all plans see them.
class Searches {
 public:
  /// Ends early at the budget's deadline; then nothing may be searched.
  Searches(const MapProblem& problem, const Budget& budget)
      : seed_(problem.seed),
        host_(problem, budget.deadline()),
        graph_(symmetric_graph(problem.traffic, problem.loads)) {
    if (problem.loads.empty()) order_ = put_neighbours_together(graph_, budget.deadline(), seed_);
    const ExactUnits units = exact_units(graph_, host_.costs());
    is_rounded_ = units.weight > 0;
    if (!is_rounded_) return;
    for (Arc& arc : graph_.arcs) arc.weight = rounded_to(arc.weight, units.weight);
    host_.round_costs_to(units.cost);
  }

  /// Ends where the bound is met. Returns nothing if no mapping keeps the capacities, or if the plan is for smaller
  /// graphs. Where ranks have loads, a place may hold too much, by less than its heaviest rank.
  [[nodiscard]] std::optional<Mapping> run(const Plan& plan, const Budget& budget, double bound) const {
    const std::optional<SearchPlan> work = plan.of(graph_, budget.threads());
    return work ? run(*work, budget.deadline(), bound, seed_) : std::nullopt;
  }

  /// False where run_again() would do nothing.
  [[nodiscard]] bool could_run_again(const MapProblem& problem, const Budget& budget) const {
    return host_.is_hierarchy() && budget.steps(pace::kSearchedArcs / least_arcs(problem)) > 0;
  }

  /// Searches again and again from other seeds, as often as fits into the steps of the budget and as long as it gains
  /// now and then. What the deadline cuts is dropped.
  void run_again(const MapProblem& problem, const Budget& budget, BestAnswer& best) const {
    const std::optional<SearchPlan> once = plan_search(graph_, budget.threads());
    if (!once || !could_run_again(problem, budget)) return;
    const SearchPlan plan = plan_again(*once);
    const std::size_t times = budget.steps(pace::kSearchedArcs / arcs_of(plan, graph_, host_));
    const double bound = best.best().lower_bound;
    Random seeds(seed_);
    std::size_t gained = 0;  // the number of the last search that found something better
    for (std::size_t i = 0; i < times && i < kFewestAgain + kIdleFactor * gained; ++i) {
      if (!best.goes_on("searches from other seeds")) return;
      std::optional<Mapping> found = run(plan, budget.deadline(), bound, seeds());
      if (!found || budget.over()) continue;
      const double cost = cost_of(problem, *found);
      if (cost < best.best().cost) gained = i + 1;
      best.enter({.mapping = *std::move(found), .cost = cost});
    }
  }

 private:
  [[nodiscard]] std::optional<Mapping> run(const SearchPlan& work, const Deadline& deadline, double bound,
                                           std::uint64_t seed) const {
    const double target = is_rounded_ ? 0 : bound;
    Random random(seed);
    const Member best =
        host_.visit_cost([&](const auto& cost) { return search(graph_, host_, cost, target, work, deadline, random); });
    if (best.overload > 0 && graph_.largest_load() <= 1) return std::nullopt;
    return Mapping(host_.places_of(order_.empty() ? best.block_of : in_first_order(best.block_of, order_)));
  }

  std::uint64_t seed_;
  Host host_;
  Graph graph_;
  std::vector<GuestVertex> order_;
  bool is_rounded_ = false;
};

/// What a plan finds on a large regular network; nothing if the deadline cuts its divisions.
std::optional<Mapping> run_on_network(const MapProblem& problem, const Graph& graph, const NetworkEffort& effort,
                                      const Deadline& deadline) {
  std::optional<Mapping> found = divide_onto_network(problem, graph, effort.tries, problem.seed, deadline);
  if (!found || !problem.loads.empty()) return found;
  return exchange_on_network(problem, graph, *found, effort.sweeps, problem.seed, deadline);
}

/// Annealing from the best mapping of the divisions. Each round has four times as many trials as the one before and
/// begins from the same mapping, so more time never makes the answer worse.
void anneal_in_rounds(const MapProblem& problem, const Graph& graph, const Budget& budget, BestAnswer& best) {
  constexpr double kFirst = 20;  // trials for each rank
  constexpr double kGrowth = 4;
  const Mapping start = best.best().mapping;
  const auto most = static_cast<double>(budget.steps(pace::kNetworkTrials));
  double used = 0;
  for (double trials = kFirst * static_cast<double>(problem.traffic.ranks()); used + trials <= most;
       trials *= kGrowth) {
    used += trials;
    if (!best.goes_on("annealing")) return;
    Mapping found =
        anneal_on_network(problem, graph, start, static_cast<std::size_t>(trials), problem.seed, budget.deadline());
    const double cost = cost_of(problem, found);
    best.enter({.mapping = std::move(found), .cost = cost});
  }
}

MapperAnswer map_onto_network(const MapProblem& problem, const Budget& budget, std::span<const Plan> plans,
                              BestAnswer best) {
  const Graph graph = symmetric_graph(problem.traffic, problem.loads);
  const bool by_objective = problem.objective == Objective::hop_bytes && is_symmetric(problem);
  for (const Plan& plan : plans) {
    if (!best.goes_on(plan.name)) break;
    std::optional<Mapping> found = run_on_network(problem, graph, plan.on_network, budget.deadline());
    if (!found || (!by_objective && budget.over())) continue;
    const double cost = cost_of(problem, *found);
    best.enter({.mapping = *std::move(found), .cost = cost});
    if (plan.on_network.anneals && by_objective) anneal_in_rounds(problem, graph, budget, best);
  }
  return std::move(best).result();
}

/// Tries the ranks in order, then the plans one after the other, as long as there is time. Each plan begins anew, so
/// that what it finds does not depend on how far another came.
///
/// `kept` gets the machine and the traffic for searches that follow, if there is any use for them.
MapperAnswer map_in_turn(const MapProblem& problem, const Budget& budget, std::span<const Plan> plans,
                         std::shared_ptr<const Searches>* kept = nullptr) {
  check_capacity(problem);
  MapperAnswer in_order{.mapping = fill_in_order(problem), .lower_bound = quick_lower_bound(problem, budget)};
  const Seconds before = budget.deadline().left();
  in_order.cost = cost_of(problem, in_order.mapping);
  const Seconds evaluation = before - budget.deadline().left();  // the answer will need another one
  const Budget searching = budget.leaving(evaluation * 1.5);
  BestAnswer best(problem, searching, std::move(in_order));
  if (best.is_proven() || searching.over()) return std::move(best).result();

  if (is_large_network(problem)) return map_onto_network(problem, searching, plans, std::move(best));
  auto searches = std::make_shared<const Searches>(problem, searching);
  const bool by_objective = problem.objective == Objective::hop_bytes && is_symmetric(problem);
  const double bound = problem.objective == Objective::hop_bytes ? best.best().lower_bound : 0.0;
  for (const Plan& plan : plans) {
    if (!best.goes_on(plan.name)) break;
    std::optional<Mapping> found = searches->run(plan, searching, bound);
    // If the search goes by another number than the objective, half a search may give a better mapping than a whole
    // one: then more time would make the answer worse.
    if (!found || (!by_objective && searching.over())) continue;
    const double cost = cost_of(problem, *found);
    best.enter({.mapping = *std::move(found), .cost = cost});
  }
  if (kept != nullptr && searches->could_run_again(problem, budget)) *kept = std::move(searches);
  return std::move(best).result();
}

/// Maps ranks with loads: takes the mapping of the last plan that ends. Whether it is better than the ranks in order is
/// known only when all places can bear what they hold.
MapperAnswer map_loads(const MapProblem& problem, const Budget& budget, std::span<const Plan> plans) {
  if (is_large_network(problem)) {
    const Graph graph = symmetric_graph(problem.traffic, problem.loads);
    std::optional<Mapping> found = run_on_network(problem, graph, plans.back().on_network, budget.deadline());
    return {.mapping = found ? *std::move(found) : fill_in_order(problem)};
  }
  const Searches searches(problem, budget);
  std::optional<Mapping> best;
  for (const Plan& plan : plans) {
    std::optional<Mapping> found = searches.run(plan, budget, 0.0);
    if (found && (!best || !budget.over())) best = std::move(found);
    if (budget.over()) break;
  }
  return {.mapping = best ? *std::move(best) : fill_in_order(problem)};
}

MapperAnswer map_by_plans(const MapProblem& problem, const Budget& budget, std::initializer_list<Plan> plans) {
  return problem.loads.empty() ? map_in_turn(problem, budget, plans) : map_loads(problem, budget, plans);
}

}  // namespace

MapperAnswer map_multilevel(const MapProblem& problem, const Budget& budget) {
  return map_by_plans(problem, budget, {kFast, kThorough});
}

MapperAnswer map_multilevel_fast(const MapProblem& problem, const Budget& budget) {
  return map_by_plans(problem, budget, {kFast});
}

LateAnswer map_multilevel_late(const MapProblem& problem, const Budget& budget) {
  const std::array plans{kThorough};
  std::shared_ptr<const Searches> made;
  LateAnswer late{map_in_turn(problem, budget, plans, &made)};
  if (!made) return late;
  late.again = [&problem, searches = std::move(made)](const Budget& rest, MapperAnswer first) {
    BestAnswer best(problem, rest, std::move(first));
    searches->run_again(problem, rest, best);
    return std::move(best).result();
  };
  return late;
}

}  // namespace topowise
