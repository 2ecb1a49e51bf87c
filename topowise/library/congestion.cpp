// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <limits>

#include <topowise/predict/congestion/assumptions.hpp>
#include <topowise/predict/congestion/simulate.hpp>
#include <topowise/schedule.hpp>
#include <topowise/schedule/heuristic.hpp>
#include <topowise/schedule/in_order.hpp>

namespace topowise {
namespace {

/// Throws if a place does not exist. How many ranks may share a place is the caller's decision.
void check_places(const Mapping& mapping, const Topology& machine) {
  mapping.check(machine, std::numeric_limits<int>::max());
}

}  // namespace

Prediction predict(const Exchange& exchange, const Topology& machine, const Mapping& mapping,
                   const PredictOptions& options) {
  check_places(mapping, machine);
  CongestionModel model(machine, options.model, options.parameters);
  RateMemo memo(model);
  Simulation played = simulate(memo, exchange, mapping);
  return {.begin = std::move(played.begin),
          .end = std::move(played.end),
          .makespan = played.makespan,
          .assumptions = assumptions_of(machine, pairs_that_talk(exchange, mapping), options.parameters)};
}

Schedule schedule(const Exchange& exchange, const Topology& machine, const Mapping& mapping,
                  const ScheduleOptions& options) {
  check_places(mapping, machine);
  CongestionModel model(machine, options.congestion.model, options.congestion.parameters);
  OrderProblem problem(model, exchange, mapping);
  SearchLimits limits;
  limits.steps = options.steps;
  const auto begin = std::chrono::steady_clock::now();
  limits.stop = [&options, begin] {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return (options.stop != nullptr && options.stop->load()) || passed.count() >= options.time_limit.value();
  };
  const auto found = best_order(problem, options.seed, limits);
  return {.exchange = in_order(exchange, problem, found.order),
          .makespan = found.makespan,
          .lower_bound = found.lower_bound,
          .proven_optimal = found.proven_optimal(),
          .assumptions = assumptions_of(machine, pairs_that_talk(exchange, mapping), options.congestion.parameters)};
}

}  // namespace topowise
