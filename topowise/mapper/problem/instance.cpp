// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/instance.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <topowise/mapper/problem/whole_numbers.hpp>

namespace topowise {
namespace {

bool is_symmetric(std::span<const double> matrix, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (matrix[i * n + j] != matrix[j * n + i]) return false;
    }
  }
  return true;
}

void make_symmetric(std::vector<double>& matrix, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j)
      matrix[i * n + j] = matrix[j * n + i] = (matrix[i * n + j] + matrix[j * n + i]) / 2;
  }
}

std::vector<double> pair_sums(std::span<const double> matrix, std::size_t n) {
  std::vector<double> sums;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) sums.push_back(matrix[i * n + j] + matrix[j * n + i]);
  }
  return sums;
}

/// Costs of distinct places are asked for once: a measured metric computes each from a route.
std::vector<double> slot_costs(const MapProblem& problem, std::span<const Place> places) {
  const std::size_t n = places.size();
  std::vector<double> cost(n * n, 0.0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (places[a] == places[b]) continue;
      const bool as_before = b > 0 && places[b] == places[b - 1];  // slots of a place are side by side
      cost[a * n + b] =
          as_before ? cost[a * n + b - 1] : problem.topology.pair_cost(problem.metric, places[a], places[b]);
    }
  }
  return cost;
}

}  // namespace

std::int64_t total_load(const MapProblem& problem) {
  return problem.loads.empty() ? static_cast<std::int64_t>(problem.traffic.ranks())
                               : std::accumulate(problem.loads.begin(), problem.loads.end(), std::int64_t{0});
}

std::vector<PlaceCapacity> place_capacities(const MapProblem& problem) {
  std::vector<PlaceCapacity> result;
  double whole = 0;
  const auto add = [&](Place place) {
    const int capacity = problem.ranks_per_place > 0 ? problem.ranks_per_place : problem.topology.place(place).capacity;
    result.push_back({place, static_cast<std::size_t>(capacity)});
    whole += capacity;
  };
  if (problem.allowed.empty()) {
    for (std::size_t p = 0; p < problem.topology.place_count(); ++p) add(Place(p));
  } else {
    for (const Place place : problem.allowed) add(place);
  }
  if (problem.whole_capacity > 0) whole = static_cast<double>(problem.whole_capacity);
  const auto load = static_cast<double>(total_load(problem));
  for (PlaceCapacity& each : result) {
    if (problem.imbalance) {
      constexpr double kRounding = 1e-9;
      const double share = std::ceil(load * static_cast<double>(each.capacity) / whole - kRounding);
      each.capacity = static_cast<std::size_t>((1 + *problem.imbalance) * share + kRounding);
    }
    each.capacity = std::min(each.capacity, static_cast<std::size_t>(load));
  }
  return result;
}

std::vector<std::int64_t> capacity_left(const MapProblem& problem, const Mapping& mapping) {
  std::vector<std::int64_t> left(problem.topology.place_count(), 0);
  for (const PlaceCapacity& each : place_capacities(problem))
    left[each.place.index()] = static_cast<std::int64_t>(each.capacity);
  for (std::size_t r = 0; r < mapping.ranks(); ++r) left[mapping[Rank(r)].index()] -= load_of(problem, r);
  return left;
}

Mapping on_places(std::span<const PlaceCapacity> places, std::span<const std::size_t> position_of_rank) {
  std::vector<Place> place_of_rank;
  for (const std::size_t position : position_of_rank) place_of_rank.push_back(places[position].place);
  return Mapping(std::move(place_of_rank));
}

Mapping fill_in_order(const MapProblem& problem) {
  std::vector<Place> places;
  const std::size_t ranks = problem.traffic.ranks();
  for (const PlaceCapacity& each : place_capacities(problem))
    places.insert(places.end(), std::min(each.capacity, ranks - places.size()), each.place);
  return Mapping(std::move(places));
}

double cost_of(const MapProblem& problem, const Mapping& mapping) {
  return evaluate(problem.objective, problem.traffic, problem.topology, mapping, problem.metric, problem.mix);
}

std::vector<Place> slots(const MapProblem& problem) {
  std::vector<Place> result;
  for (const PlaceCapacity& each : place_capacities(problem)) result.insert(result.end(), each.capacity, each.place);
  return result;
}

SlotOfRank to_slots(std::span<const Place> place_of_slot, const Mapping& mapping, std::span<const FixedRank> first) {
  std::size_t places = 0;
  for (const Place place : place_of_slot) places = std::max(places, place.index() + 1);
  std::vector<std::uint32_t> next(places, 0);  // by place: the first slot without a rank
  for (std::size_t s = place_of_slot.size(); s > 0; --s)
    next[place_of_slot[s - 1].index()] = static_cast<std::uint32_t>(s - 1);
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  SlotOfRank slot_of_rank(mapping.ranks(), kNone);
  for (const auto& [rank, place] : first) slot_of_rank[rank.index()] = next[place.index()]++;
  for (std::size_t r = 0; r < mapping.ranks(); ++r) {
    if (slot_of_rank[r] == kNone) slot_of_rank[r] = next[mapping[Rank(r)].index()]++;
  }
  return slot_of_rank;
}

Mapping to_mapping(std::span<const Place> place_of_slot, std::span<const std::uint32_t> slot_of_rank) {
  std::vector<Place> places;
  places.reserve(slot_of_rank.size());
  for (const std::uint32_t slot : slot_of_rank) places.push_back(place_of_slot[slot]);
  return Mapping(std::move(places));
}

double Instance::cost_of(std::span<const std::uint32_t> slot_of_rank) const {
  double sum = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    const double* from = &cost[slot_of_rank[i] * slots];
    for (std::size_t j = 0; j < ranks; ++j) sum += flow[i * ranks + j] * from[slot_of_rank[j]];
  }
  return sum;
}

Instance make_instance(const MapProblem& problem) {
  return make_instance(problem, slots(problem));
}

Instance make_instance(const MapProblem& problem, std::vector<Place> slots) {
  Instance instance;
  instance.ranks = problem.traffic.ranks();
  instance.place_of_slot = std::move(slots);
  instance.slots = instance.place_of_slot.size();
  instance.cost = slot_costs(problem, instance.place_of_slot);
  instance.flow.assign(instance.ranks * instance.ranks, 0.0);
  for (const TrafficEntry& entry : problem.traffic.entries()) {
    if (entry.source != entry.destination)
      instance.flow[entry.source.index() * instance.ranks + entry.destination.index()] = entry.bytes.value();
  }
  const bool flow_symmetric = is_symmetric(instance.flow, instance.ranks);
  const bool cost_symmetric = is_symmetric(instance.cost, instance.slots);
  instance.symmetric = flow_symmetric || cost_symmetric;
  // With symmetric costs a pair of ranks pays (f + f') * c, with symmetric flows f * (c + c').
  instance.step =
      common_divisor(cost_symmetric ? pair_sums(instance.flow, instance.ranks) : std::vector(instance.flow)) *
      common_divisor(flow_symmetric && !cost_symmetric ? pair_sums(instance.cost, instance.slots)
                                                       : std::vector(instance.cost));
  if (instance.symmetric) {
    make_symmetric(instance.flow, instance.ranks);
    make_symmetric(instance.cost, instance.slots);
  }
  return instance;
}

}  // namespace topowise
