// SPDX-License-Identifier: BSD-3-Clause
// Hop-bytes. A rank on a slot pays for its partners at least what it would if the heaviest were nearest: the sorted
// flows times the sorted costs (the smallest scalar product of two vectors is that of opposite orders). Gilmore (1962)
// and Lawler (1963): with l[i][k] that product for rank i on slot k, the linear assignment problem over l bounds the
// quadratic one. Where even that is too large, every rank pays at least the smallest such product over all slots, with
// a profile of the nearest slots that no slot beats; or what must cross the machine's levels (level_bound).
//
// Max congestion: congestion_bound.
#include <topowise/mapper/bound/lower_bound.hpp>

#include <algorithm>
#include <functional>
#include <limits>

#include <topowise/mapper/bound/assignment.hpp>
#include <topowise/mapper/bound/congestion_bound.hpp>
#include <topowise/mapper/bound/level_bound.hpp>
#include <topowise/mapper/bound/projection_bound.hpp>
#include <topowise/mapper/problem/cost_numbers.hpp>
#include <topowise/mapper/problem/large_network.hpp>
#include <topowise/mapper/problem/pace.hpp>
#include <topowise/mapper/problem/uniform_levels.hpp>

namespace topowise {
namespace {

double scalar_product(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

/// Rows of `matrix` (or its columns) without the diagonal, each sorted.
template <class Order>
std::vector<double> sorted_rows(const std::vector<double>& matrix, std::size_t n, bool columns, Order order) {
  std::vector<double> rows;
  rows.reserve(n * (n - 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i != j) rows.push_back(columns ? matrix[j * n + i] : matrix[i * n + j]);
    }
    std::sort(rows.end() - static_cast<std::ptrdiff_t>(n - 1), rows.end(), order);
  }
  return rows;
}

/// profile[k]: no slot has its k-th nearest other slot nearer than that, in either direction.
std::vector<double> nearest_profile(const MapProblem& problem, std::span<const PlaceCapacity> places,
                                    std::size_t count) {
  std::vector<double> profile(count, std::numeric_limits<double>::infinity());
  std::vector<std::pair<double, std::size_t>> near(places.size());
  for (const PlaceCapacity& from : places) {
    for (std::size_t q = 0; q < places.size(); ++q) {
      const Place to = places[q].place;
      const double cost = to == from.place ? 0.0
                                           : std::min(problem.topology.pair_cost(problem.metric, from.place, to),
                                                      problem.topology.pair_cost(problem.metric, to, from.place));
      near[q] = {cost, to == from.place ? places[q].capacity - 1 : places[q].capacity};
    }
    // Finds the nearest `count` and one more, because the place itself may hold no more.
    if (count < near.size()) std::ranges::nth_element(near, near.begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(std::min(count, near.size())));
    std::size_t k = 0;
    for (const auto& [cost, capacity] : near) {
      for (std::size_t c = 0; c < capacity && k < count; ++c, ++k) profile[k] = std::min(profile[k], cost);
      if (k == count) break;
    }
  }
  for (double& cost : profile) {
    if (cost == std::numeric_limits<double>::infinity()) cost = 0.0;
  }
  return profile;
}

/// The profile of a machine that is too large to look at every pair: a uniform hierarchy has the same profile
/// everywhere.
std::vector<double> uniform_profile(std::span<const UniformLevel> levels, std::size_t capacity, std::size_t count) {
  std::vector<double> profile(capacity - 1, 0.0);
  for (const UniformLevel& level : levels) {
    if (profile.size() >= count) break;
    profile.resize(std::min(count, capacity * level.wider - 1), level.distance);
  }
  profile.resize(count, profile.empty() ? 0.0 : profile.back());
  return profile;
}

/// The same for a regular network too large to look at every pair. No place of a grid has more places near it than one
/// in the middle; no router of a dragonfly more than one with most global links. Empty where costs do not grow with the
/// hops.
std::vector<double> network_profile(const MapProblem& problem, std::span<const PlaceCapacity> places,
                                    std::size_t count) {
  const std::span<const double> distances = problem.topology.level_distances();
  const bool by_hops = problem.metric == Metric::distance && !problem.topology.has_pair_matrix(problem.metric);
  if (!by_hops || !std::ranges::is_sorted(distances)) return {};
  const std::size_t capacity = std::ranges::max(places, {}, &PlaceCapacity::capacity).capacity;
  std::vector<double> profile(std::min(capacity - 1, count), 0.0);
  for (const auto& [hops, near] : most_at_hops(*problem.topology.network())) {
    if (profile.size() >= count) break;
    const auto level = std::ranges::find(problem.topology.levels(), PathClass{PathKind::tree, hops});
    const double cost = distances[static_cast<std::size_t>(level - problem.topology.levels().begin())];
    profile.resize(std::min(count, profile.size() + near * capacity), cost);
  }
  profile.resize(count, profile.empty() ? 0.0 : profile.back());
  return profile;
}

double degree_bound(const MapProblem& problem, const Partners& partners) {
  std::size_t most = 0;
  for (std::size_t r = 0; r < partners.ranks(); ++r) most = std::max(most, partners.of(Rank(r)).size());
  if (most == 0) return 0;
  const std::vector<PlaceCapacity> places = place_capacities(problem);
  std::vector<double> profile;
  if (is_large_network(problem)) {
    profile = network_profile(problem, places, most);
    if (profile.empty()) return 0;
  } else if (places.size() <= Topology::kLargestDense && nested_levels(problem, places).empty()) {
    profile = nearest_profile(problem, places, most);
  } else {
    const std::vector<UniformLevel> levels = uniform_levels(problem, places);
    if (levels.empty()) return 0;
    profile = uniform_profile(levels, places.front().capacity, most);
  }
  double sum = 0;
  std::vector<double> bytes;
  for (std::size_t r = 0; r < partners.ranks(); ++r) {
    bytes.clear();
    for (const Partner& partner : partners.of(Rank(r))) bytes.push_back(partner.both());
    std::ranges::sort(bytes, std::greater<>());
    sum += scalar_product(bytes.data(), profile.data(), bytes.size());
  }
  return sum / 2;  // every pair was counted from both ends
}

/// Visits of ranks, for flows on all levels of the machine; none where they would be too few for the size.
double flow_steps(const MapProblem& problem, const Budget& budget) {
  constexpr double kMostSteps = 2e7;
  constexpr std::size_t kMostEntries = 4'000'000;
  constexpr std::size_t kMostRanks = 500'000;
  if (problem.traffic.entries().size() > kMostEntries || problem.traffic.ranks() > kMostRanks) return 0;
  return std::min(kMostSteps, budget.time().value() * pace::kFlowVisits);
}

double without_search(const MapProblem& problem, const FlowWork& flows = {}) {
  const Partners partners(problem.traffic);
  if (problem.objective == Objective::max_congestion) return congestion_bound(problem, partners);
  const double step = cost_step(problem);
  const double rounding = rounding_of_one_sum(problem.traffic);
  const double levels = level_bound(problem, partners, flows, step);
  constexpr double kDenseWork = 1e8;
  const double ranks = static_cast<double>(problem.traffic.ranks());
  const double slot_count = static_cast<double>(slots(problem).size());
  if (ranks * ranks * slot_count <= kDenseWork && slot_count * slot_count <= kDenseWork / 8) {
    const Instance instance = make_instance(problem);
    const double products = std::max(gilmore_lawler_bound(instance), sorted_products_bound(instance));
    return std::max(levels, next_cost(products, step, rounding));
  }
  return std::max(levels, next_cost(degree_bound(problem, partners), step, rounding));
}

/// The projection bound; 0 where it would take too long.
double by_projection(const MapProblem& problem, const Budget& budget) {
  constexpr double kMostWork = 512.0 * 512.0 * 512.0;
  const double slot_count = static_cast<double>(slots(problem).size());
  const double work = slot_count * slot_count * slot_count;
  const bool fits = work <= std::min(kMostWork, budget.time().value() * pace::kProjectionSteps);
  return fits && !budget.over() ? projection_bound(make_instance(problem)) : 0;
}

/// The bound of the mix: neither term can be below its own bound.
template <class Bound>
double mixed(const MapProblem& problem, const Bound& bound) {
  MapProblem one = problem;
  one.objective = Objective::hop_bytes;
  const double hop_bytes = bound(one);
  one.objective = Objective::max_congestion;
  const ObjectiveMix& mix = problem.mix;
  return mix.hop_share / mix.hop_bytes * hop_bytes + (1 - mix.hop_share) / mix.congestion * bound(one);
}

}  // namespace

double gilmore_lawler_bound(const Instance& instance) {
  const std::size_t n = instance.ranks;
  const std::size_t m = instance.slots;
  if (n < 2) return 0;
  std::vector<double> products(n * m, 0.0);
  for (const bool columns : {false, true}) {
    if (columns && instance.symmetric) continue;
    const std::vector<double> flows = sorted_rows(instance.flow, n, columns, std::greater<>());
    const std::vector<double> costs = sorted_rows(instance.cost, m, columns, std::less<>());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < m; ++k)
        products[i * m + k] += scalar_product(&flows[i * (n - 1)], &costs[k * (m - 1)], n - 1);
    }
  }
  // In an asymmetric instance, what i sends and what i receives were both charged to i, so every flow is counted twice.
  const double total = Assignment().reduce(products.data(), n, m);
  return instance.symmetric ? total : total / 2;
}

double sorted_products_bound(const Instance& instance) {
  std::vector<double> flows = instance.flow;
  std::vector<double> costs;
  for (std::size_t a = 0; a < instance.slots; ++a) {
    for (std::size_t b = 0; b < instance.slots; ++b) {
      if (a != b) costs.push_back(instance.cost[a * instance.slots + b]);
    }
  }
  std::ranges::sort(flows, std::greater<>());
  std::ranges::sort(costs);
  return scalar_product(flows.data(), costs.data(), std::min(flows.size(), costs.size()));
}

double quick_lower_bound(const MapProblem& problem) {
  if (problem.objective == Objective::mix)
    return mixed(problem, [](const MapProblem& one) { return quick_lower_bound(one); });
  return without_search(problem);
}

double quick_lower_bound(const MapProblem& problem, const Budget& budget) {
  constexpr std::size_t kMostEntries = 1'000'000;  // sorted and joined to forests in less than a second
  constexpr std::size_t kMostInRows = 20'000'000;  // a fifth of that time for the same number, row by row
  constexpr std::size_t kMostForLinks = 4'000'000;
  if (!budget.wants_bound()) return 0;
  const std::size_t entries = problem.traffic.entries().size();
  if (entries <= kMostEntries) return quick_lower_bound(problem);
  if (entries > kMostInRows) return 0;
  if (problem.objective == Objective::max_congestion) return entries <= kMostForLinks ? without_search(problem) : 0;
  // With few partners a rank's nearest slots hold them all, and their number says little.
  const bool is_dense = entries >= problem.traffic.ranks() * problem.traffic.ranks() / 4;
  return problem.objective == Objective::hop_bytes && (is_dense || is_large_network(problem))
             ? degree_bound(problem, Partners(problem.traffic))
             : 0;
}

double lower_bound(const MapProblem& problem, const Budget& whole) {
  if (!whole.wants_bound()) return 0;
  if (problem.objective == Objective::mix)
    return mixed(problem, [&](const MapProblem& one) { return lower_bound(one, whole); });
  // Steps are counted for the time of the bound; the clock is that of the whole, so that a busy machine does not
  // decide.
  const Budget budget = whole.counting(whole.for_bound().time());
  const double quick = without_search(problem, {flow_steps(problem, budget), budget.threads(), budget.deadline()});
  if (problem.objective != Objective::hop_bytes) return quick;
  const double projection = by_projection(problem, budget);
  return projection > quick ? next_cost(projection, cost_step(problem)) : quick;
}

}  // namespace topowise
