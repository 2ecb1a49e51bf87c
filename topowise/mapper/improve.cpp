// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/improve.hpp>

#include <algorithm>

#include <topowise/mapper/instance.hpp>
#include <topowise/mapper/memetic_tabu.hpp>
#include <topowise/mapper/multilevel/parallel.hpp>
#include <topowise/mapper/sampled_tabu.hpp>
#include <topowise/mapper/thermal_walk.hpp>

namespace topowise {
namespace {

// Deliberately below what a current core does, so that the count ends the search and not the clock.
struct Pace {
  double pairs_per_second;
  double overhead;  ///< of an exchange, in pairs
};
constexpr Pace kPaceOfTabu{3.2e9, 1.3e3};
constexpr Pace kPaceOfWalk{7.45e9, 1.8e3};
constexpr double kLargestTable = 1e6;  // ranks x slots; making a larger one takes longer than it is worth

constexpr std::size_t kFewestForWalk = 500'000;

SlotOfRank to_slots(const Instance& instance, const Mapping& mapping) {
  SlotOfRank slot_of_rank;
  std::size_t most = 0;
  for (const Place place : instance.place_of_slot) most = std::max(most, place.index());
  std::vector<std::uint32_t> next(most + 1, 0);  // first free slot of a place
  for (std::size_t s = instance.slots; s > 0; --s)
    next[instance.place_of_slot[s - 1].index()] = static_cast<std::uint32_t>(s - 1);
  for (const Place place : mapping.places()) slot_of_rank.push_back(next[place.index()]++);
  return slot_of_rank;
}

}  // namespace

Improved improve(const MapProblem& problem, const Mapping& start, Seconds time_limit, double target,
                 const Deadline& deadline) {
  const auto ranks = static_cast<double>(problem.traffic.ranks());
  double slot_count = 0;
  for (const Room& room : rooms(problem)) slot_count += static_cast<double>(room.capacity);
  if (problem.objective == Objective::hop_bytes && ranks * slot_count <= kLargestTable) {
    const Instance instance = make_instance(problem);
    const bool suits_walk = suits_thermal_walk(instance);
    const Pace pace = suits_walk ? kPaceOfWalk : kPaceOfTabu;
    const double steps_per_second = pace.pairs_per_second / (pairs_of_step(instance) + pace.overhead);
    const ExchangeLimits limits{
        .iterations = static_cast<std::size_t>(time_limit.value() * problem.effort * steps_per_second),
        .target = target,
        .seed = problem.seed,
        .threads = multilevel::threads_or_all(problem.threads)};
    const bool by_walk = suits_walk && limits.iterations > kFewestForWalk;
    const ExchangeResult result =
        (by_walk ? thermal_walk : memetic_tabu)(instance, to_slots(instance, start), limits, deadline);
    return {to_mapping(instance.place_of_slot, result.slot_of_rank), result.cost};
  }
  return sampled_tabu(problem, start, sampled_tabu_limits(problem, time_limit, target), deadline);
}

}  // namespace topowise
