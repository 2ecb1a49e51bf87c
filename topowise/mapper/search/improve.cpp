// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/search/improve.hpp>

#include <algorithm>

#include <topowise/mapper/exchange/whole_units.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/pace.hpp>
#include <topowise/mapper/search/memetic_tabu.hpp>
#include <topowise/mapper/search/sampled_tabu.hpp>

namespace topowise {
namespace {

constexpr double kLargestTable = 1e6;  ///< ranks x slots; making a larger one takes longer than it is worth

double exchanges_per_second(const Instance& instance) {
  const double pairs = whole_units(instance).fits_float ? pace::kExchangePairs : pace::kDoubleExchangePairs;
  return pairs / (pairs_of_step(instance) + pace::kPairsOfStep);
}

}  // namespace

MapperAnswer improve(const MapProblem& problem, const Mapping& start, const Budget& budget, double target) {
  const auto ranks = static_cast<double>(problem.traffic.ranks());
  double slot_count = 0;
  for (const PlaceCapacity& each : place_capacities(problem)) slot_count += static_cast<double>(each.capacity);
  if (problem.objective == Objective::hop_bytes && ranks * slot_count <= kLargestTable) {
    const Instance instance = make_instance(problem);
    const ExchangeLimits limits{.iterations = budget.steps(exchanges_per_second(instance)),
                                .target = target,
                                .seed = problem.seed,
                                .threads = budget.threads(),
                                .found = [&](double cost) {
                                  budget.tell({cost, target, "local search"});
                                }};
    const ExchangeResult result =
        memetic_tabu(instance, to_slots(instance.place_of_slot, start), limits, budget.deadline());
    return {to_mapping(instance.place_of_slot, result.slot_of_rank), result.cost};
  }
  return sampled_tabu(problem, start, sampled_tabu_limits(problem, budget, target), budget.deadline());
}

}  // namespace topowise
