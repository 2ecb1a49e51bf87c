// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/uniform_part.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <topowise/graph/traffic/traffic_builder.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/whole_numbers.hpp>

namespace topowise {
namespace {

bool fills_all_slots(const MapProblem& problem) {
  std::size_t capacity = 0;
  for (const PlaceCapacity& place : place_capacities(problem)) capacity += place.capacity;
  return capacity == problem.traffic.ranks();
}

/// The least bytes that any rank sends to another; 0 if some pair sends nothing, or a fraction of a byte.
double least_amount(const Traffic& traffic) {
  const std::size_t pairs = traffic.ranks() * (traffic.ranks() - 1);
  if (traffic.entries().size() < pairs) return 0;
  std::size_t seen = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.source == entry.destination) continue;
    const double bytes = entry.bytes.value();
    if (!is_exact_whole(bytes)) return 0;
    least = std::min(least, bytes);
    ++seen;
  }
  return seen == pairs ? least : 0;
}

Traffic without(const Traffic& traffic, double amount) {
  TrafficBuilder rest;
  for (TrafficEntry entry : traffic.entries()) {
    if (entry.source == entry.destination || entry.bytes.value() <= amount) continue;
    entry.bytes = entry.bytes - Bytes(amount);
    rest.add(entry);
  }
  return std::move(rest).finish(traffic.ranks());
}

}  // namespace

std::optional<UniformPart> split_uniform_part(const MapProblem& problem) {
  constexpr std::size_t kFewest = 2;
  if (problem.objective != Objective::hop_bytes || !problem.loads.empty() || problem.traffic.ranks() < kFewest ||
      !fills_all_slots(problem))
    return std::nullopt;
  const double amount = least_amount(problem.traffic);
  if (amount <= 0) return std::nullopt;
  UniformPart part{.rest = problem};
  part.rest.traffic = without(problem.traffic, amount);
  const Mapping any = fill_in_order(problem);
  part.cost = cost_of(problem, any) - cost_of(part.rest, any);
  return part;
}

}  // namespace topowise
