// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/search/mixed_objective.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/construct/constructions.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/search/rounds.hpp>
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

namespace {

/// The better of the mappings that `run` finds for each objective alone, in equal shares of the time if what it finds
/// follows from the time.
MapperAnswer map_once(const MapProblem& problem, MapFunction run, bool follows_time, const Budget& budget) {
  const auto stage = [&] { return follows_time ? budget.stage(kShareOfEach).silent() : budget.silent(); };
  MapProblem asked = problem;
  asked.objective = Objective::hop_bytes;
  MapperAnswer best = run(asked, stage());
  const double hop_bound = best.lower_bound;
  asked.objective = Objective::max_congestion;
  MapperAnswer other = run(asked, stage());
  const ObjectiveMix& mix = problem.mix;
  const double bound =
      mix.hop_share / mix.hop_bytes * hop_bound + (1 - mix.hop_share) / mix.congestion * other.lower_bound;
  best.cost = cost_of(problem, best.mapping);
  other.cost = cost_of(problem, other.mapping);
  if (other.cost < best.cost) best = std::move(other);
  best.lower_bound = std::min(bound, best.cost);
  best.proven_optimal = best.cost <= bound;
  return best;
}

/// The same, then improved; more time never makes it worse. Nothing if the deadline cut what the improvement begins
/// from.
std::optional<MapperAnswer> map_and_improve(const MapProblem& problem, const Mapper& mapper, const Budget& budget) {
  MapperAnswer best = map_once(problem, mapper.run, mapper.follows_time, budget);
  if (best.proven_optimal) return best;
  if (budget.over()) return std::nullopt;
  const Budget rest = budget.counting(budget.time() * (1 - 2 * kShareOfEach));
  const SampledTabuLimits limits = sampled_tabu_limits(problem, rest, best.lower_bound);
  Improved improved = sampled_tabu(problem, best.mapping, limits, rest.deadline());
  best = {.mapping = std::move(improved.mapping), .cost = improved.cost, .lower_bound = best.lower_bound};
  best.proven_optimal = best.cost <= best.lower_bound;
  return best;
}

}  // namespace

MapperAnswer map_for_mix(const MapProblem& problem, const Mapper& mapper, const Mapper& quick, const Budget& budget) {
  if (mapper.considers == Considers::places) {
    MapProblem asked = problem;
    asked.objective = Objective::hop_bytes;
    return {.mapping = mapper.run(asked, budget.silent()).mapping};
  }
  MapperAnswer best{.mapping = fill_in_order(problem)};
  best.cost = cost_of(problem, best.mapping);
  if (constructs(mapper)) {
    rounds::keep_better(best, map_once(problem, mapper.run, false, budget));
    return best;
  }
  if (mapper.name == "auto") {
    rounds::try_constructions(problem, budget, best, [&](MapFunction construct, const Budget& stage) {
      return map_once(problem, construct, false, stage);
    });
  }
  const bool searches = mapper.considers >= Considers::loads && mapper.run != quick.run;
  for (const Mapper* one : {&quick, &mapper}) {
    if (budget.over() || best.proven_optimal || (one == &quick && !searches)) continue;
    const auto search = [&](const Budget& round) { return map_and_improve(problem, *one, round).value_or(best); };
    budget.tell({best.cost, best.lower_bound, one->name});
    if (one->follows_time) {
      best = rounds::run(budget, best, search);
    } else {
      rounds::keep_better(best, search(budget));
    }
  }
  if (!best.proven_optimal) best.lower_bound = std::max(best.lower_bound, lower_bound(problem, budget));
  best.lower_bound = std::min(best.lower_bound, best.cost);
  best.proven_optimal = best.cost <= best.lower_bound;
  best.bounded = true;
  return best;
}

}  // namespace topowise
