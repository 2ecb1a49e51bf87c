// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/constrained/constrained.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/mapper/constrained/fixed_ranks.hpp>
#include <topowise/mapper/deadline.hpp>
#include <topowise/mapper/instance.hpp>
#include <topowise/mapper/lower_bound.hpp>
#include <topowise/mapper/mixed_objective.hpp>
#include <topowise/mapper/sampled_tabu.hpp>

namespace topowise {
namespace {

/// Every mapping that keeps the constraints answers this question as well, at the same cost.
MapProblem relaxed(const MapProblem& problem) {
  MapProblem free = problem;
  free.fixed.clear();
  if (problem.loads.empty()) return free;
  std::vector<int> loads = problem.loads;
  std::ranges::sort(loads);
  std::size_t largest = 0;
  for (const Room& room : rooms(problem)) largest = std::max(largest, room.capacity);
  int most = 0;  // of the lightest ranks fit together on one place
  for (std::size_t sum = 0; most < static_cast<int>(loads.size()); ++most) {
    sum += static_cast<std::size_t>(loads[static_cast<std::size_t>(most)]);
    if (sum > largest) break;
  }
  free.loads.clear();
  free.imbalance.reset();
  free.ranks_per_place = std::max(most, 1);
  return free;
}

MapperAnswer answer_without_fixed(const MapProblem& problem, const Mapper& mapper) {
  MapProblem free = problem;
  free.fixed.clear();
  free.time_limit = problem.time_limit * 0.5;
  const bool mixed = problem.objective == Objective::mix;
  if (mixed && !problem.loads.empty()) free.objective = Objective::hop_bytes;  // what a mapper of loads refines by
  MapperAnswer answer = mixed && problem.loads.empty() ? map_for_mix(free, mapper) : mapper.run(free);
  const double bound = lower_bound(relaxed(problem));
  answer.lower_bound = problem.loads.empty() ? std::max(answer.lower_bound, bound) : bound;
  return answer;
}

}  // namespace

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
    if (mapper.regards != Regards::loads)
      throw usage_error(fmt::format("mapper '{}' takes all ranks as equally heavy", mapper.name), "--mapper auto");
  }
  check_fixed(problem);
}

MapperAnswer map_constrained(const MapProblem& problem, const Mapper& mapper, const Mapping& in_order) {
  const Deadline deadline(problem.time_limit);
  MapperAnswer answer = answer_without_fixed(problem, mapper);
  const auto kept = [&](const Mapping& mapping) { return balance(problem, bring_home(problem, mapping)); };
  answer.mapping = kept(answer.mapping);
  answer.cost = cost_of(problem, answer.mapping);
  answer.proven_optimal = answer.cost <= answer.lower_bound;
  if (mapper.regards == Regards::places || answer.proven_optimal) return answer;
  Mapping other = kept(in_order);
  if (const double cost = cost_of(problem, other); cost < answer.cost)
    answer = {std::move(other), cost, answer.lower_bound};
  const SampledTabuLimits limits = sampled_tabu_limits(problem, problem.time_limit / 2, answer.lower_bound);
  Improved improved = sampled_tabu(problem, answer.mapping, limits, deadline);
  answer.mapping = std::move(improved.mapping);
  answer.cost = improved.cost;
  answer.proven_optimal = answer.cost <= answer.lower_bound;
  return answer;
}

}  // namespace topowise
