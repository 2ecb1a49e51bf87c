// SPDX-License-Identifier: BSD-3-Clause
// The course of a search:
//   1. the machine becomes a hierarchy over blocks of places (multilevel/host), the traffic an undirected graph;
//   2. multisection: ranks to blocks from the top of the hierarchy down, each division by multilevel partitioning with
//      evolution (multilevel/multisection, vcycle, evolution);
//   3. refinement of the whole mapping with the true cost, over all levels of a coarsening that respects it;
//   4. the ranks in order, if that is better.
#include <topowise/mapper/multilevel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <topowise/base/error.hpp>
#include <topowise/mapper/deadline.hpp>
#include <topowise/mapper/lower_bound.hpp>
#include <topowise/mapper/multilevel/evolution.hpp>
#include <topowise/mapper/multilevel/host.hpp>
#include <topowise/mapper/multilevel/multisection.hpp>
#include <topowise/mapper/multilevel/search_plan.hpp>

namespace topowise {
namespace {

using namespace multilevel;

Mapping in_order(const MapProblem& problem) {
  std::vector<Place> places;
  const std::size_t ranks = problem.traffic.ranks();
  for (const Room& room : rooms(problem))
    places.insert(places.end(), std::min(room.capacity, ranks - places.size()), room.place);
  return Mapping(std::move(places));
}

void check_room(const MapProblem& problem) {
  const std::vector<Room> all = rooms(problem);
  const std::size_t capacity = std::accumulate(all.begin(), all.end(), std::size_t{0},
                                               [](std::size_t sum, const Room& r) { return sum + r.capacity; });
  if (capacity >= problem.traffic.ranks()) return;
  throw bad_input(fmt::format("{} ranks do not fit on '{}', which has room for {}", problem.traffic.ranks(),
                              problem.topology.name(), capacity),
                  "--ranks-per-place N lets N ranks share a place");
}

template <class Cost>
Member search(const Graph& graph, const Host& host, const Cost& cost, const SearchPlan& plan, const Deadline& deadline,
              Random& random) {
  const PartitionProblem whole{&graph, host.capacity()};
  const std::vector<std::int64_t> compact = compact_capacity(host, graph.total_load());
  std::vector<Member> members;
  for (int i = 0; i < std::max(plan.starts, 1); ++i) {
    std::vector<int> start = multisection(graph, host, compact, plan.division, deadline, random);
    members.push_back(make_member(whole, cost, vcycle(whole, cost, start, start, plan.whole, deadline, random)));
  }
  evolve(whole, cost, members, plan.generations, plan.whole, deadline, random);
  return best_of(members);
}

}  // namespace

MapperAnswer map_multilevel(const MapProblem& problem) {
  check_room(problem);
  const Deadline deadline(problem.time_limit);
  const Host host(problem);
  const Graph graph = symmetric_graph(problem.traffic);
  const SearchPlan plan = plan_search(graph, host.blocks());
  Random random(problem.seed);
  const Member best =
      host.visit_cost([&](const auto& cost) { return search(graph, host, cost, plan, deadline, random); });

  const auto cost_of = [&](const Mapping& mapping) {
    return evaluate(problem.objective, problem.traffic, problem.topology, mapping, problem.metric);
  };
  const Mapping ordered = in_order(problem);
  MapperAnswer answer{.mapping = ordered, .cost = cost_of(ordered), .lower_bound = quick_lower_bound(problem)};
  if (best.overload == 0) {
    Mapping found(host.places_of(best.block_of));
    const double cost = cost_of(found);
    if (cost < answer.cost) answer = {std::move(found), cost, answer.lower_bound};
  }
  answer.proven_optimal = answer.cost <= answer.lower_bound;
  return answer;
}

}  // namespace topowise
