// SPDX-License-Identifier: BSD-3-Clause
// The course of a search:
//   1. the machine becomes a hierarchy over blocks of places (multilevel/host), the traffic an undirected graph;
//   2. multisection: ranks to blocks from the top of the hierarchy down, each division by multilevel partitioning with
//      evolution (multilevel/multisection, vcycle, evolution);
//   3. refinement of the whole mapping with the true cost: over all levels of a coarsening that respects it, and a
//      search by exchanges (multilevel/swap_search);
//   4. on a machine that is no hierarchy also placement by the shape of the traffic (multilevel/metric_matching);
//   5. the ranks in order, if that is better.
#include <topowise/mapper/multilevel/multilevel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <topowise/base/error.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/multilevel/evolution.hpp>
#include <topowise/mapper/multilevel/host.hpp>
#include <topowise/mapper/multilevel/metric_matching.hpp>
#include <topowise/mapper/multilevel/multisection.hpp>
#include <topowise/mapper/multilevel/search_plan.hpp>
#include <topowise/mapper/multilevel/swap_search.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>

namespace topowise {
namespace {

using namespace multilevel;

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

/// Exchanges and moves with the true cost.
template <class Cost>
Member polish(const PartitionProblem& whole, const Cost& cost, const Graph* near, std::vector<int> block_of,
              const SearchPlan& plan, const Deadline& deadline, Random& random) {
  if (whole.graph->largest_load() <= 1)  // ranks of different loads cannot simply change places
    SwapSearch<Cost>(*whole.graph, cost, whole.capacity.size(), near, block_of).run(plan.sweeps, deadline, random);
  Member best = make_member(whole, cost, std::move(block_of));
  for (int cycle = 0; cycle < plan.cycles && !deadline.passed(); ++cycle) {
    Member next =
        make_member(whole, cost, vcycle(whole, cost, best.block_of, best.block_of, plan.whole, deadline, random));
    if (!next.better_than(best)) break;
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

template <class Cost>
Member search(const Graph& graph, const Host& host, const Cost& cost, double bound, const SearchPlan& plan,
              const Deadline& deadline, Random& random) {
  const PartitionProblem whole{&graph, host.capacity()};
  std::optional<Graph> near;
  if (!host.is_hierarchy()) near = nearest_neighbours(host.table(), host.blocks(), kMostNeighbours * host.blocks());
  const Graph* near_blocks = near ? &*near : nullptr;
  std::vector<Member> members;
  if (near && graph.size() <= static_cast<Node>(host.blocks()) && graph.largest_load() <= 1) {
    Member start = matched(whole, cost, *near, plan.matchings, deadline, random);
    members.push_back(polish(whole, cost, near_blocks, std::move(start.block_of), plan, deadline, random));
    if (members.back().cost <= bound || deadline.passed()) return members.back();
  }
  const std::vector<std::int64_t> compact = compact_capacity(host, graph.total_load());
  for (std::vector<int>& start : multisection(graph, host, compact, plan.tops, plan.division, deadline, random))
    members.push_back(polish(whole, cost, near_blocks, std::move(start), plan, deadline, random));
  return best_of(members);
}

/// Renumbers a graph that may be larger than the processor's caches. Returns what each vertex was before; nothing if
/// the graph stayed as it was.
std::vector<Node> put_neighbours_together(Graph& graph) {
  constexpr Node kFitsCache = 4096;
  if (graph.size() <= kFitsCache) return {};
  std::vector<Node> order = breadth_first_order(graph);
  graph = renumbered(graph, order);
  return order;
}

std::vector<int> in_first_order(std::span<const int> block_of, std::span<const Node> order) {
  std::vector<int> result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[static_cast<std::size_t>(order[i])] = block_of[i];
  return result;
}

using PlanOf = SearchPlan (*)(const Graph&, int threads);

/// Ranks with loads. Places may be overfull by less than the heaviest rank.
MapperAnswer map_loads(const MapProblem& problem, const Budget& budget, PlanOf plan_of) {
  const Deadline& deadline = budget.deadline();
  const Host host(problem, deadline);
  const Graph graph = symmetric_graph(problem.traffic, problem.loads);
  const SearchPlan plan = plan_of(graph, budget.threads());
  Random random(problem.seed);
  const Member best =
      host.visit_cost([&](const auto& cost) { return search(graph, host, cost, 0.0, plan, deadline, random); });
  return {.mapping = Mapping(host.places_of(best.block_of))};
}

MapperAnswer map_by_plan(const MapProblem& problem, const Budget& budget, PlanOf plan_of) {
  if (!problem.loads.empty()) return map_loads(problem, budget, plan_of);
  check_capacity(problem);
  MapperAnswer answer{.mapping = fill_in_order(problem), .cost = 0, .lower_bound = quick_lower_bound(problem)};
  const Seconds before = budget.deadline().left();
  answer.cost = cost_of(problem, answer.mapping);
  const Seconds evaluation = before - budget.deadline().left();  // the answer will need another one
  const Deadline deadline = budget.deadline().earlier_by(evaluation * 1.5);
  answer.proven_optimal = answer.cost <= answer.lower_bound;
  if (answer.proven_optimal || deadline.passed()) return answer;

  const Host host(problem, deadline);
  Graph graph = symmetric_graph(problem.traffic);
  const std::vector<Node> order = put_neighbours_together(graph);
  if (deadline.passed()) return answer;
  const SearchPlan plan = plan_of(graph, budget.threads());
  const double bound = problem.objective == Objective::hop_bytes ? answer.lower_bound : 0.0;
  Random random(problem.seed);
  const Member best =
      host.visit_cost([&](const auto& cost) { return search(graph, host, cost, bound, plan, deadline, random); });
  if (best.overload > 0) return answer;
  Mapping found(host.places_of(order.empty() ? best.block_of : in_first_order(best.block_of, order)));
  if (const double cost = cost_of(problem, found); cost < answer.cost)
    answer = {std::move(found), cost, answer.lower_bound};
  answer.proven_optimal = answer.cost <= answer.lower_bound;
  return answer;
}

}  // namespace

MapperAnswer map_multilevel(const MapProblem& problem, const Budget& budget) {
  return map_by_plan(problem, budget, plan_search);
}

MapperAnswer map_multilevel_fast(const MapProblem& problem, const Budget& budget) {
  return map_by_plan(problem, budget, [](const Graph&, int threads) { return plan_fast(threads); });
}

}  // namespace topowise
