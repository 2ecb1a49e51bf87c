// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/constrained/constrained.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/mapper/constrained/load_annealing.hpp>
#include <topowise/mapper/constrained/placement.hpp>
#include <topowise/mapper/construct/constructions.hpp>
#include <topowise/mapper/construct/fixed_ranks.hpp>
#include <topowise/mapper/exact/branch_and_bound.hpp>
#include <topowise/mapper/exact/group_mapping.hpp>
#include <topowise/mapper/exact/k_subsets.hpp>
#include <topowise/mapper/exact/subset_mapping.hpp>
#include <topowise/mapper/problem/hierarchy.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/search/mixed_objective.hpp>
#include <topowise/mapper/search/rounds.hpp>
#include <topowise/mapper/search/sampled_tabu.hpp>

namespace topowise {
namespace {

/// The share of the time in which `exact` keeps the constraints itself.
double share_of_exact(const MapProblem& problem) {
  return problem.traffic.ranks() <= kMostSubsetRanks ? 0.7 : 0.4;
}

MapperAnswer answer_without_fixed(const MapProblem& problem, const Mapper& mapper, const Mapper& quick,
                                  const Budget& budget) {
  MapProblem free = problem;
  free.fixed.clear();
  if (problem.objective != Objective::mix) return mapper.run(free, budget);
  if (problem.loads.empty()) return map_for_mix(free, mapper, quick, budget);
  free.objective = Objective::hop_bytes;  // what a mapper of loads refines by
  return mapper.run(free, budget);
}

Improved improve_kept(const MapProblem& problem, const MapperAnswer& answer, const Budget& budget) {
  if (!problem.loads.empty()) return anneal_in_rounds(problem, answer.mapping, budget);
  return sampled_tabu(problem, answer.mapping, sampled_tabu_limits(problem, budget, answer.lower_bound),
                      budget.deadline());
}

/// False for ranks with loads: these are mapped by the multilevel search, which ends by itself, or by a search that
/// proves its answer.
bool follows_time(const MapProblem& problem, const Mapper& mapper) {
  return mapper.follows_time && problem.loads.empty();
}

/// What a mapper finds, changed to keep all constraints.
MapperAnswer repaired(const MapProblem& problem, MapperAnswer answer) {
  answer.mapping = balance(problem, place_fixed(problem, answer.mapping));
  answer.cost = cost_of(problem, answer.mapping);
  if (!problem.loads.empty()) answer.lower_bound = 0;  // it is not of this problem
  answer.proven_optimal = answer.cost <= answer.lower_bound;
  return answer;
}

/// The same, then improved as far as there is time; more time never makes it worse. Nothing if the deadline cut what
/// the improvement begins from: with more time the mapper would find another beginning.
std::optional<MapperAnswer> repaired_and_improved(const MapProblem& problem, const Mapper& mapper, const Mapper& quick,
                                                  const Budget& budget) {
  const double share_of_first = problem.loads.empty() ? 0.5 : 0.3;  // annealing makes up for what balancing costs
  MapperAnswer found = answer_without_fixed(
      problem, mapper, quick, (follows_time(problem, mapper) ? budget.stage(share_of_first) : budget).silent());
  if (budget.over()) return std::nullopt;
  MapperAnswer answer = repaired(problem, std::move(found));
  if (answer.proven_optimal || budget.over()) return answer;
  Improved improved = improve_kept(problem, answer, budget.counting(budget.time() * (1 - share_of_first)));
  rounds::keep_better(answer, {.mapping = std::move(improved.mapping), .cost = improved.cost});
  return answer;
}

/// The share of the time that improving is counted for when the quick mapper is asked, alone or before another mapper.
constexpr double kShareOfQuick = 0.1;

/// Asks a mapper and keeps the better answer; improving is counted for a share of the time.
void try_mapper(const MapProblem& problem, const Mapper& mapper, const Mapper& quick, const Budget& budget,
                double share, MapperAnswer& best) {
  if (best.proven_optimal || budget.over()) return;
  const auto search = [&](const Budget& round) {
    return repaired_and_improved(problem, mapper, quick, round).value_or(best);
  };
  budget.tell({best.cost, best.lower_bound, mapper.name});
  // Annealing has rounds of its own, in which what it does follows from its time.
  if (follows_time(problem, mapper)) {
    best = rounds::run(budget, best, search);
  } else {
    rounds::keep_better(best, search(budget.counting(budget.time() * share)));
  }
}

bool has_group_plan(const MapProblem& problem) {
  if (is_constrained(problem) || problem.traffic.ranks() > KSubsets::kMostRanks) return false;
  const std::optional<Hierarchy> machine = find_hierarchy(problem);
  return machine && plan_groups(*machine, problem.traffic.ranks());
}

}  // namespace

bool worth_exact(const MapProblem& problem) {
  if (problem.objective == Objective::mix) return false;
  if (problem.traffic.ranks() <= kMostSubsetRanks) return true;
  if (problem.objective != Objective::hop_bytes) return false;
  return problem.traffic.ranks() * slots_to_bear(problem).size() <= kLargestRelaxation || has_group_plan(problem);
}

bool is_constrained(const MapProblem& problem) {
  return !problem.fixed.empty() || !problem.loads.empty();
}

void check_constraints(const MapProblem& problem, const Mapper& mapper) {
  constexpr double kMostImbalance = 1000;
  if (problem.imbalance && !(*problem.imbalance >= 0 && *problem.imbalance <= kMostImbalance))
    throw usage_error(fmt::format("an imbalance of {} is no number from 0 to {}", *problem.imbalance, kMostImbalance),
                      "--imbalance 0.03");
  if (!is_constrained(problem)) return;
  if (!problem.loads.empty()) {
    if (problem.objective == Objective::predicted_time)
      throw usage_error("predicted-time knows no loads of ranks", "--objective hop-bytes");
    if (problem.loads.size() != problem.traffic.ranks())
      throw bad_input(
          fmt::format("{} for {}", counted(problem.loads.size(), "load"), counted(problem.traffic.ranks(), "rank")));
    if (std::ranges::any_of(problem.loads, [](int load) { return load <= 0; }))
      throw bad_input("the load of a rank is not above 0");
    if (!problem.imbalance) throw bad_input("ranks with loads need an imbalance", "--imbalance 0.03");
    if (mapper.considers < Considers::loads)
      throw usage_error(fmt::format("mapper '{}' takes all ranks as equally heavy", mapper.name), "--mapper auto");
  }
  check_fixed(problem);
}

MapperAnswer map_constrained(const MapProblem& problem, const Mapper& mapper, const OtherMappers& others,
                             const Mapping& in_order, const Budget& budget) {
  if (constructs(mapper))
    return repaired(problem, answer_without_fixed(problem, mapper, others.quick, budget.silent()));
  MapperAnswer best{.mapping = balance(problem, place_fixed(problem, in_order))};
  best.cost = cost_of(problem, best.mapping);
  const bool asks_prover = mapper.considers == Considers::proof && worth_exact(problem);
  const double share = asks_prover ? share_of_exact(problem) : 0;
  const Budget counted = asks_prover ? budget.counting(budget.time() * (1 - share)) : budget;
  if (mapper.name == "auto" && problem.loads.empty()) {
    rounds::try_constructions(problem, budget, best, [&](MapFunction construct, const Budget& stage) {
      const Mapper alone{.name = "constructions", .help = {}, .run = construct};
      return repaired(problem, answer_without_fixed(problem, alone, others.quick, stage.silent()));
    });
  }
  if (mapper.considers >= Considers::loads)
    try_mapper(problem, others.quick, others.quick, budget, kShareOfQuick, best);
  std::optional<MapperAnswer> exact;
  if (asks_prover && !best.proven_optimal && !budget.over()) {
    budget.tell({best.cost, 0, others.prover.name});
    exact = others.prover.run(problem, budget.stage(share).silent());
    if (exact->proven_optimal) return *exact;
  }
  if (mapper.run != others.quick.run) try_mapper(problem, mapper, others.quick, counted, 1, best);
  if (exact) rounds::keep_better(best, *std::move(exact));
  if (!best.proven_optimal) best.lower_bound = std::max(best.lower_bound, lower_bound(relaxed(problem), budget));
  best.proven_optimal = best.cost <= best.lower_bound;
  best.bounded = true;
  return best;
}

}  // namespace topowise
