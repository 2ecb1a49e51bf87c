// SPDX-License-Identifier: BSD-3-Clause
// Small random problems of all kinds of machines, objectives and constraints, against every mapping. What may be on a
// place is worked out here once more. No bound is above the least cost, no proof is false, and every answer keeps its
// constraints and costs what it says.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tests/fixtures/machines.hpp>

#include <topowise/base/error.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/mapper/course.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/topology_source/source.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-9;

template <class T, std::size_t N>
const T& drawn(const std::array<T, N>& choices, Random& random) {
  return choices[random.below(static_cast<std::uint32_t>(N))];
}

bool happens(double share, Random& random) {
  return random.unit() < share;
}

/// Distances that are fractions, equal both ways, zero or infinite here and there.
Topology drawn_matrix(Random& random) {
  const std::size_t places = 2 + random.below(5);
  const bool symmetric = happens(0.5, random);
  const double step = drawn(std::array{1.0, 1.0, 0.1, 1e-7, 1e9}, random);
  std::vector<double> distances(places * places, 0.0);
  for (std::size_t a = 0; a < places; ++a) {
    for (std::size_t b = 0; b < places; ++b) {
      if (a != b) distances[a * places + b] = symmetric && b < a ? distances[b * places + a] : step * random.below(8);
    }
  }
  std::vector<int> capacities(places);
  for (int& capacity : capacities) capacity = 1 + static_cast<int>(random.below(2));
  return from_distances(std::move(distances), capacities);
}

Topology drawn_machine(Random& random) {
  constexpr std::array kDescribed{"tree:2:2",
                                  "tree:2:2:2",
                                  "tree:3:2@1:4",
                                  "tree:2:3@1.5:1.7",
                                  "tree:2:2:2@1:3:9",
                                  "tree:2:2@5:1",
                                  "tree:2:1:3",
                                  "tree:6@3",
                                  "tree:2:2:2@0:0:1",
                                  "torus:5",
                                  "torus:6@10GB/s",
                                  "torus:3x2",
                                  "torus:2x2x2@1GB/s",
                                  "mesh:5",
                                  "mesh:2x3@3GB/s",
                                  "mesh:2x2x2",
                                  "dragonfly:1:2:1",
                                  "dragonfly:2:2:1@1GB/s",
                                  "dragonfly:2:2:groups=2",
                                  "dragonfly:1:2:groups=3:links=1@2GB/s",
                                  "preset:dgx1-v100",
                                  "preset:summit-ac922",
                                  "preset:hgx-h100",
                                  "preset:mi250-8",
                                  "preset:l40s-8",
                                  "cluster:tree:2,preset:gb200-tray",
                                  "cluster:tree:2:2,preset:gh200"};
  constexpr std::array kShapes{std::array{2, 3, 1}, std::array{2, 2, 2}, std::array{7, 1, 1}, std::array{1, 2, 3}};
  switch (random.below(5)) {
    case 0:
      return drawn_matrix(random);
    case 1:
      return ring(3 + random.below(4), random);
    case 2: {
      const auto& shape = drawn(kShapes, random);
      return tree({shape.begin(), shape.end()}, 1 + static_cast<int>(random.below(2)));
    }
    default:
      return read_topology(drawn(kDescribed, random));
  }
}

/// Few partners or many, amounts that are fractions, tiny or huge; sometimes the same amount for every pair, and more
/// for some.
Traffic drawn_traffic(std::size_t ranks, Random& random) {
  const double unit = drawn(std::array{1.0, 1.0, 1.0, 1.0 / 3, 1e-6, 1e12}, random);
  const double density = drawn(std::array{0.2, 0.5, 0.9}, random);
  const bool all = happens(0.15, random);
  const bool both_ways = happens(0.3, random);
  const std::uint32_t most = 1 + random.below(20);
  std::vector<TrafficEntry> entries;
  for (std::size_t a = 0; a < ranks; ++a) {
    for (std::size_t b = 0; b < ranks; ++b) {
      if (all && a != b) entries.push_back({Rank(a), Rank(b), Bytes(3 * unit), 1});
      if (!happens(density, random) || (a == b && !happens(0.1, random))) continue;
      const Bytes bytes(unit * (1 + random.below(most)));
      entries.push_back({Rank(a), Rank(b), bytes, 1});
      if (both_ways) entries.push_back({Rank(b), Rank(a), bytes, 1});
    }
  }
  return Traffic::from_entries(ranks, std::move(entries));
}

/// What each place may hold, by place: 0 where no rank may be.
std::vector<double> limits(const MapProblem& problem) {
  const std::size_t count = problem.topology.place_count();
  std::vector<double> capacity(count, 0.0);
  double sum = 0;
  for (std::size_t p = 0; p < count; ++p) {
    if (!problem.allowed.empty() && std::ranges::find(problem.allowed, Place(p)) == problem.allowed.end()) continue;
    capacity[p] = problem.ranks_per_place > 0 ? problem.ranks_per_place : problem.topology.place(Place(p)).capacity;
    sum += capacity[p];
  }
  if (!problem.imbalance) return capacity;
  double load = problem.loads.empty() ? static_cast<double>(problem.traffic.ranks()) : 0;
  for (const int each : problem.loads) load += each;
  for (double& here : capacity)
    here = std::floor((1 + *problem.imbalance) * std::ceil(load * here / sum - kRounding) + kRounding);
  return capacity;
}

MapProblem drawn_problem(Random& random) {
  constexpr std::size_t kMostRanks = 5;
  const std::size_t ranks = 1 + random.below(kMostRanks);
  MapProblem problem{.traffic = drawn_traffic(ranks, random), .topology = drawn_machine(random), .seed = random()};
  const std::size_t places = problem.topology.place_count();
  constexpr std::size_t kMostPlaces = 6;
  if (places > kMostPlaces || happens(0.2, random)) {
    std::vector<Place> all;
    for (std::size_t p = 0; p < places; ++p) all.emplace_back(p);
    random.shuffle(std::span(all));
    all.resize(std::min<std::size_t>(places, 1 + random.below(kMostPlaces)));
    problem.allowed = std::move(all);
  }
  if (happens(0.4, random)) {
    problem.imbalance = drawn(std::array{0.0, 0.1, 0.34, 0.5, 1.0, 3.0}, random);
    if (happens(0.5, random)) {
      for (std::size_t r = 0; r < ranks; ++r) problem.loads.push_back(1 + static_cast<int>(random.below(4)));
    }
  } else if (happens(0.5, random)) {
    problem.ranks_per_place = 1 + static_cast<int>(random.below(3));
  }
  const std::vector<double> limit = limits(problem);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (!happens(0.1, random)) continue;
    const std::size_t place = random.below(static_cast<std::uint32_t>(places));
    if (limit[place] > 0) problem.fixed.push_back({Rank(r), Place(place)});
  }
  const bool has_links =
      !problem.topology.links().empty() &&
      std::ranges::all_of(problem.topology.links(), [](const Link& link) { return link.bandwidth > BytesPerSecond(); });
  const bool equal_loads = problem.loads.empty();
  if (has_links && happens(0.5, random))
    problem.objective = drawn(std::array{Objective::max_congestion, Objective::max_congestion, Objective::mix,
                                         equal_loads ? Objective::predicted_time : Objective::mix},
                              random);
  const bool by_metric = problem.objective == Objective::hop_bytes || problem.objective == Objective::mix;
  if (has_links && by_metric && happens(0.3, random))
    problem.metric = drawn(std::array{Metric::hops, Metric::bandwidth, Metric::latency}, random);
  if (problem.objective == Objective::mix) problem.mix.hop_share = drawn(std::array{0.0, 0.25, 0.5, 1.0}, random);
  return problem;
}

std::vector<Place> places_of(const MapProblem& problem) {
  std::vector<Place> places;
  for (const PlaceCapacity& each : place_capacities(problem)) places.push_back(each.place);
  return places;
}

/// Every mapping that keeps the constraints.
template <class Visit>
void for_each_mapping(const MapProblem& problem, const Visit& visit) {
  std::vector<double> left = limits(problem);
  std::vector<Place> places(problem.traffic.ranks(), Place(0));
  const auto from = [&](auto& self, std::size_t rank) -> void {
    if (rank == places.size()) return visit(Mapping(places));
    const auto fixed = std::ranges::find(problem.fixed, Rank(rank), &FixedRank::rank);
    const double load = problem.loads.empty() ? 1 : problem.loads[rank];
    for (std::size_t p = 0; p < left.size(); ++p) {
      if (left[p] < load || (fixed != problem.fixed.end() && fixed->place != Place(p))) continue;
      left[p] -= load;
      places[rank] = Place(p);
      self(self, rank + 1);
      left[p] += load;
    }
  };
  from(from, 0);
}

bool keeps(const MapProblem& problem, const Mapping& mapping) {
  std::vector<double> left = limits(problem);
  for (std::size_t r = 0; r < mapping.ranks(); ++r)
    left[mapping[Rank(r)].index()] -= problem.loads.empty() ? 1 : problem.loads[r];
  return std::ranges::all_of(left, [](double here) { return here >= 0; }) &&
         std::ranges::all_of(problem.fixed, [&](const FixedRank& fixed) { return mapping[fixed.rank] == fixed.place; });
}

std::string words_of(const MapProblem& problem) {
  std::string words = fmt::format("{} on {}, {} by {}, allowed", problem.traffic.ranks(), problem.topology.name(),
                                  to_string(problem.objective), to_string(problem.metric));
  for (const Place place : problem.allowed) words += fmt::format(" {}", place.index());
  words += fmt::format(", {} a place, imbalance {}, loads", problem.ranks_per_place, problem.imbalance.value_or(-1));
  for (const int load : problem.loads) words += fmt::format(" {}", load);
  words += ", fixed";
  for (const FixedRank& fixed : problem.fixed) words += fmt::format(" {}={}", fixed.rank.index(), fixed.place.index());
  for (const TrafficEntry& entry : problem.traffic.entries())
    words += fmt::format("; {} {} {}", entry.source.index(), entry.destination.index(), entry.bytes.value());
  return words;
}

struct Outcomes {
  int proven = 0;
  int open = 0;
  int refused = 0;
};

void check_against_all(MapProblem problem, std::string_view mapper, double least, Outcomes& outcomes) {
  const MapOptions options{.time_limit = Seconds(1000), .effort = 1e-3, .threads = 1, .bound_time = Seconds(50)};
  CAPTURE(mapper);
  try {
    const MappingResult found = map_ranks(problem, mapper, options);
    if (problem.objective == Objective::mix) problem.mix = relative_to(problem, ranks_in_order(problem));
    CHECK(keeps(problem, found.mapping));
    CHECK(found.cost == doctest::Approx(cost_of(problem, found.mapping)).epsilon(kRounding));
    CHECK(found.cost >= least * (1 - kRounding));
    CHECK(found.lower_bound <= least * (1 + kRounding));
    if (found.proven_optimal) CHECK(found.cost <= least * (1 + kRounding));
    ++(found.proven_optimal ? outcomes.proven : outcomes.open);
  } catch (const Error& error) {
    CHECK(error.status() != ExitStatus::internal);
    if (mapper == "auto") {
      CAPTURE(error.diagnostics().front().what);
      CHECK(least == kNever);
    }
    ++outcomes.refused;
  }
}

Outcomes check_problems(int count, std::uint64_t seed) {
  Outcomes outcomes;
  for (int number = 0; number < count; ++number) {
    Random random(seed + static_cast<std::uint64_t>(number));
    MapProblem problem = drawn_problem(random);
    CAPTURE(number);
    CAPTURE(words_of(problem));
    MapProblem asked = problem;
    double least = kNever;
    bool is_known = true;
    try {
      const bool has_metric = problem.objective != Objective::max_congestion;
      for (const Place a : places_of(problem)) {
        for (const Place b : places_of(problem))
          if (has_metric) (void)problem.topology.pair_cost(problem.metric, a, b);
      }
      if (problem.objective == Objective::mix) asked.mix = relative_to(problem, ranks_in_order(problem));
      for_each_mapping(problem, [&](const Mapping& mapping) { least = std::min(least, cost_of(asked, mapping)); });
    } catch (const Error&) {  // the metric or the fullest link is not known here
      is_known = false;
    }
    if (!is_known) continue;
    check_against_all(problem, "auto", least, outcomes);
    Outcomes others;
    const MapperRows rows = mappers();
    check_against_all(problem, rows[random.below(static_cast<std::uint32_t>(rows.size()))].name, least, others);
  }
  return outcomes;
}

}  // namespace

TEST_CASE("no bound is above the least of all mappings, and no proof is false") {
  const Outcomes outcomes = check_problems(200, 1);
  CHECK(outcomes.proven > 100);
}

TEST_CASE("no bound is above the least of all mappings, and no proof is false: 3000 problems" *
          doctest::test_suite("wide")) {
  const Outcomes outcomes = check_problems(3000, 1000);
  MESSAGE("proven ", outcomes.proven, ", open ", outcomes.open, ", refused ", outcomes.refused);
  CHECK(outcomes.proven > 1500);
}
