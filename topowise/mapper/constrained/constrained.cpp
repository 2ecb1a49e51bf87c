// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/constrained/constrained.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/mapper/constrained/fixed_ranks.hpp>
#include <topowise/mapper/constrained/load_annealing.hpp>
#include <topowise/mapper/constrained/placement.hpp>
#include <topowise/mapper/exact/subset_mapping.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/search/mixed_objective.hpp>
#include <topowise/mapper/search/sampled_tabu.hpp>

namespace topowise {
namespace {

/// The share of the time in which `exact` keeps the constraints itself.
double share_of_exact(const MapProblem& problem) {
  return problem.traffic.ranks() <= kMostSubsetRanks ? 0.7 : 0.4;
}

MapperAnswer answer_without_fixed(const MapProblem& problem, const Mapper& mapper, const Budget& budget) {
  MapProblem free = problem;
  free.fixed.clear();
  const bool mixed = problem.objective == Objective::mix;
  if (mixed && !problem.loads.empty()) free.objective = Objective::hop_bytes;  // what a mapper of loads refines by
  MapperAnswer answer = mixed && problem.loads.empty() ? map_for_mix(free, mapper, budget) : mapper.run(free, budget);
  const double bound = lower_bound(relaxed(problem), budget);
  answer.lower_bound = problem.loads.empty() ? std::max(answer.lower_bound, bound) : bound;
  return answer;
}

Improved improve_kept(const MapProblem& problem, const MapperAnswer& answer, const Budget& budget) {
  if (!problem.loads.empty()) return load_annealing(problem, answer.mapping, budget);
  return sampled_tabu(problem, answer.mapping, sampled_tabu_limits(problem, budget, answer.lower_bound),
                      budget.deadline());
}

}  // namespace

bool worth_exact(const MapProblem& problem) {
  if (problem.objective == Objective::mix) return false;
  if (problem.traffic.ranks() <= kMostSubsetRanks) return true;
  return problem.objective == Objective::hop_bytes &&
         problem.traffic.ranks() * slots_to_bear(problem).size() <= kLargestRelaxation;
}

bool is_constrained(const MapProblem& problem) {
  return !problem.fixed.empty() || !problem.loads.empty();
}

void check_constraints(const MapProblem& problem, const Mapper& mapper) {
  if (problem.imbalance && !(*problem.imbalance >= 0))
    throw usage_error(fmt::format("an imbalance of {} is not possible", *problem.imbalance), "--imbalance 0.03");
  if (!is_constrained(problem)) return;
  if (problem.objective == Objective::predicted_time)
    throw usage_error("predicted-time knows neither fixed ranks nor loads of ranks", "--objective hop-bytes");
  if (!problem.loads.empty()) {
    if (problem.loads.size() != problem.traffic.ranks())
      throw bad_input(fmt::format("{} loads are given for {} ranks", problem.loads.size(), problem.traffic.ranks()));
    if (std::ranges::any_of(problem.loads, [](int load) { return load <= 0; }))
      throw bad_input("the load of a rank is not above 0");
    if (!problem.imbalance) throw bad_input("ranks with loads need an imbalance", "--imbalance 0.03");
    if (mapper.regards < Regards::loads)
      throw usage_error(fmt::format("mapper '{}' takes all ranks as equally heavy", mapper.name), "--mapper auto");
  }
  check_fixed(problem);
}

MapperAnswer map_constrained(const MapProblem& problem, const Mapper& mapper, const Mapper& prover,
                             const Mapping& in_order, const Budget& budget) {
  std::optional<MapperAnswer> exact;
  if (mapper.regards == Regards::proof && worth_exact(problem)) {
    exact = prover.run(problem, budget.stage(share_of_exact(problem)));
    if (exact->proven_optimal) return *exact;
  }
  const Budget left = budget.counting(budget.time() * (exact ? 1 - share_of_exact(problem) : 1.0));
  const double share_of_first = problem.loads.empty() ? 0.5 : 0.7;  // annealing makes up for what balancing costs
  MapperAnswer answer = answer_without_fixed(problem, mapper, left.stage(share_of_first));
  const auto kept = [&](const Mapping& mapping) { return balance(problem, place_fixed(problem, mapping)); };
  answer.mapping = kept(answer.mapping);
  answer.cost = cost_of(problem, answer.mapping);
  if (exact) {
    answer.lower_bound = std::max(answer.lower_bound, exact->lower_bound);
    if (exact->cost < answer.cost) answer = {exact->mapping, exact->cost, answer.lower_bound};
  }
  answer.proven_optimal = answer.cost <= answer.lower_bound;
  if (mapper.regards == Regards::places || answer.proven_optimal) return answer;
  Mapping other = kept(in_order);
  if (const double cost = cost_of(problem, other); cost < answer.cost)
    answer = {std::move(other), cost, answer.lower_bound};
  Improved improved = improve_kept(problem, answer, left.counting(left.time() * (1 - share_of_first)));
  answer.mapping = std::move(improved.mapping);
  answer.cost = improved.cost;
  answer.proven_optimal = answer.cost <= answer.lower_bound;
  return answer;
}

}  // namespace topowise
