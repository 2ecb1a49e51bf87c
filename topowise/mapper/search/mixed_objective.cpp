// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/search/mixed_objective.hpp>

#include <algorithm>

#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/search/sampled_tabu.hpp>

namespace topowise {
namespace {

constexpr double kShareOfEach = 0.35;  ///< of the time limit, for each objective alone

}  // namespace

ObjectiveMix relative_to(const MapProblem& problem, const Mapping& reference) {
  const auto cost = [&](Objective objective) {
    const double value = evaluate(objective, problem.traffic, problem.topology, reference, problem.metric);
    return value > 0 ? value : 1.0;
  };
  return {.hop_share = problem.mix.hop_share,
          .hop_bytes = cost(Objective::hop_bytes),
          .congestion = cost(Objective::max_congestion)};
}

MapperAnswer map_for_mix(const MapProblem& problem, const Mapper& mapper, const Budget& budget) {
  MapProblem asked = problem;
  asked.objective = Objective::hop_bytes;
  MapperAnswer best = mapper.run(asked, budget.stage(kShareOfEach));
  const double hop_bound = best.lower_bound;
  asked.objective = Objective::max_congestion;
  MapperAnswer other = mapper.run(asked, budget.stage(kShareOfEach));
  const ObjectiveMix& mix = problem.mix;
  const double proven =
      mix.hop_share / mix.hop_bytes * hop_bound + (1 - mix.hop_share) / mix.congestion * other.lower_bound;
  const double bound = std::max(proven, lower_bound(problem, budget));
  best.cost = cost_of(problem, best.mapping);
  other.cost = cost_of(problem, other.mapping);
  if (other.cost < best.cost) best = std::move(other);
  if (mapper.regards != Regards::places && best.cost > bound) {
    const Budget rest = budget.counting(budget.time() * (1 - 2 * kShareOfEach));
    const SampledTabuLimits limits = sampled_tabu_limits(problem, rest, bound);
    Improved improved = sampled_tabu(problem, best.mapping, limits, rest.deadline());
    best = {.mapping = std::move(improved.mapping), .cost = improved.cost};
  }
  best.lower_bound = std::min(bound, best.cost);
  best.proven_optimal = best.cost <= bound;
  return best;
}

}  // namespace topowise
