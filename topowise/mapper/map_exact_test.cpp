// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/mapper_functions.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <sstream>

#include <tests/corpus.hpp>
#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>
#include <tests/fixtures/standing_clock.hpp>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/mapper/problem/hierarchy.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

void compare_with_brute_force(const MapProblem& problem) {
  const MapperAnswer answer = map_exact(problem, Budget(without_limit()));
  CHECK(answer.proven_optimal);
  CHECK(answer.cost == doctest::Approx(brute_force(problem)));
  CHECK(evaluate(problem.objective, problem.traffic, problem.topology, answer.mapping, problem.metric) ==
        doctest::Approx(answer.cost));
  CHECK(answer.lower_bound == doctest::Approx(answer.cost));
}

/// A tree, a matrix or a ring with chords; fixed ranks, loads, or both.
MapProblem random_constrained(int round, Random& random) {
  const std::size_t ranks = 2 + random.below(4);
  MapProblem problem{.traffic = random_traffic(ranks, 0.5, random), .topology = tree({2, 3}, 1 + round % 2)};
  if (round % 3 == 1) problem.topology = random_matrix(ranks, 2, random);
  if (round % 3 == 2) problem.topology = ring(ranks + random.below(2), random);
  const bool has_links = round % 3 != 1;
  if (has_links && random.below(2) == 0) problem.objective = Objective::max_congestion;
  if (round % 4 != 0) {
    problem.imbalance = 0.1 * random.below(8);
    for (std::size_t r = 0; r < ranks; ++r) problem.loads.push_back(1 + static_cast<int>(random.below(4)));
  }
  std::vector<std::int64_t> left = capacity_left(problem, Mapping({}));
  for (std::size_t r = 0; r < ranks; ++r) {
    const Place place(random.below(static_cast<std::uint32_t>(problem.topology.place_count())));
    if (random.below(3) != 0 || left[place.index()] < load_of(problem, r)) continue;
    left[place.index()] -= load_of(problem, r);
    problem.fixed.push_back({Rank(r), place});
  }
  return problem;
}

/// A QAPLIB instance: the first matrix is the traffic, the second the distances.
MapProblem read_qaplib(const std::string& path) {
  std::istringstream text(read_file(path));
  std::size_t n = 0;
  text >> n;
  std::vector<TrafficEntry> entries;
  std::vector<double> distances;
  for (std::size_t e = 0; e < n * n; ++e) {
    double bytes = 0;
    text >> bytes;
    entries.push_back({Rank(e / n), Rank(e % n), Bytes(bytes)});
  }
  for (std::size_t e = 0; e < n * n; ++e) text >> distances.emplace_back();
  REQUIRE(text);
  return {.traffic = Traffic::from_entries(n, std::move(entries)),
          .topology = from_distances(std::move(distances), std::vector<int>(n, 1))};
}

constexpr double kRounding = 1 + 1e-11;

Traffic scaled(const Traffic& traffic, double factor) {
  std::vector<TrafficEntry> entries(traffic.entries().begin(), traffic.entries().end());
  for (TrafficEntry& entry : entries) entry.bytes = entry.bytes * factor;
  return Traffic::from_entries(traffic.ranks(), std::move(entries));
}

/// Compares the exact search, and auto with one thread and with two, with a brute-force search over all arrangements of
/// constrained problem number `round`. Returns whether any arrangement keeps the constraints.
bool constrained_agrees(int round, Random& random) {
  CAPTURE(round);
  const MapProblem problem = random_constrained(round, random);
  const double least = least_cost(problem);
  if (least == std::numeric_limits<double>::infinity()) {
    CHECK_THROWS_AS((void)map_exact(problem, Budget(without_limit())), Error);
    return false;
  }
  const MapperAnswer answer = map_exact(problem, Budget(without_limit()));
  CHECK(answer.proven_optimal);
  CHECK(answer.cost == doctest::Approx(least));
  CHECK(answer.lower_bound == doctest::Approx(least));
  CHECK(cost_of(problem, answer.mapping) == doctest::Approx(least));
  CHECK(std::ranges::all_of(capacity_left(problem, answer.mapping), [](std::int64_t here) { return here >= 0; }));
  for (const FixedRank& fixed : problem.fixed) CHECK(answer.mapping[fixed.rank] == fixed.place);
  const MappingResult result = map_ranks(problem, "auto", without_limit({.threads = 1}));
  CHECK(result.proven_optimal);
  CHECK(result.cost == doctest::Approx(least));
  CHECK(map_ranks(problem, "auto", without_limit({.threads = 2})).mapping == result.mapping);
  return true;
}

}  // namespace

TEST_CASE("brute force agrees on machines that are no hierarchy") {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 1 + random.below(6);
    compare_with_brute_force({.traffic = random_traffic(ranks, 0.2 + 0.2 * (round % 4), random),
                              .topology = random_matrix(ranks + random.below(3), 1 + round % 2, random)});
  }
}

TEST_CASE("brute force agrees on symmetric machines that are no hierarchy") {
  // Distances along a ring: the search can use orbits, also with fewer ranks than places.
  Random random(2);
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    std::vector<double> distances(49);
    for (int a = 0; a < 7; ++a) {
      for (int b = 0; b < 7; ++b)
        distances[static_cast<std::size_t>(7 * a + b)] = std::min((a - b + 7) % 7, (b - a + 7) % 7);
    }
    const Topology machine = from_distances(distances, std::vector<int>(7, 1));
    const Traffic traffic =
        round % 2 == 0 ? random_traffic(3 + random.below(5), 0.4, random) : grid({3 + int(random.below(5))}, {1}, true);
    compare_with_brute_force({.traffic = traffic, .topology = machine});
  }
}

TEST_CASE("brute force agrees on hierarchies") {
  Random random(3);
  const std::vector<std::vector<int>> shapes{{2, 2, 2}, {7}, {3, 2}, {2, 3}, {1, 4, 1, 2}};
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const std::vector<int>& shape = shapes[static_cast<std::size_t>(round) % shapes.size()];
    MapProblem problem{.traffic = random_traffic(2 + random.below(4), 0.5, random), .topology = tree(shape)};
    if (round % 3 == 0) problem.allowed = {Place(5), Place(0), Place(3), Place(2), Place(4)};
    if (round % 4 == 1) problem = {.traffic = random_traffic(5, 0.5, random), .topology = tree({3, 1}, 2)};
    REQUIRE(find_hierarchy(problem));
    compare_with_brute_force(problem);
    problem.objective = Objective::max_congestion;
    REQUIRE(find_hierarchy(problem));
    compare_with_brute_force(problem);
  }
}

TEST_CASE("brute force agrees on the congestion of machines that are no tree") {
  Random random(4);
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 2 + random.below(4);
    MapProblem problem{.traffic = random_traffic(ranks, 0.5, random),
                       .topology = ring(ranks + random.below(2), random),
                       .objective = Objective::max_congestion};
    if (round % 3 == 0) problem.ranks_per_place = 2;
    if (ranks + 0 > 4 && problem.ranks_per_place > 0) continue;  // too many arrangements for the oracle
    compare_with_brute_force(problem);
  }
}

TEST_CASE("brute force agrees where ranks are fixed or have loads") {
  Random random(6);
  int possible = 0;
  for (int round = 0; round < 120; ++round) possible += constrained_agrees(round, random) ? 1 : 0;
  CHECK(possible < 120);
  CHECK(possible > 60);
}

TEST_CASE("brute force agrees with searches on several threads" * doctest::test_suite("threads")) {
  Random random(8);
  for (int round = 0; round < 12; ++round) (void)constrained_agrees(round, random);  // every kind of problem once
}

TEST_CASE("the best mapping, its proof and the bounds of others are the same in any unit") {
  Random random(7);
  for (int round = 0; round < 30; ++round) {
    CAPTURE(round);
    MapProblem problem =
        round % 2 == 0 ? random_constrained(round, random)
                       : MapProblem{.traffic = random_traffic(6, 0.5, random), .topology = random_matrix(7, 1, random)};
    const double least = least_cost(problem);
    if (least == std::numeric_limits<double>::infinity()) continue;
    const Traffic traffic = problem.traffic;
    for (const int exponent : {-900, -600, -50, 50, 600}) {  // powers of two: no number is rounded
      CAPTURE(exponent);
      problem.traffic = scaled(traffic, std::ldexp(1.0, exponent));
      const MappingResult best = map_ranks(problem, "auto", without_limit({.threads = 1}));
      CHECK(best.proven_optimal);
      CHECK(std::ldexp(best.cost, -exponent) <= least * kRounding);
      if (problem.loads.empty())
        CHECK(std::ldexp(map_ranks(problem, "greedy").lower_bound, -exponent) <= least * kRounding);
    }
  }
}

TEST_CASE("one pair that talks a billion times more than all others hides none of them") {
  std::vector<TrafficEntry> entries{{Rank(0), Rank(1), Bytes(4e12)}};
  for (const auto& [from, to, bytes] : std::initializer_list<std::array<std::size_t, 3>>{{1, 3, 100},
                                                                                         {1, 4, 100},
                                                                                         {1, 5, 100},
                                                                                         {2, 5, 1000},
                                                                                         {3, 4, 72},
                                                                                         {4, 7, 100},
                                                                                         {5, 6, 8},
                                                                                         {6, 2, 64},
                                                                                         {6, 3, 64}})
    entries.push_back({Rank(from), Rank(to), Bytes(static_cast<double>(bytes))});
  std::vector<double> distances;
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = 0; b < 8; ++b)
      distances.push_back(a == b ? 0 : a / 2 == b / 2 ? 0.5 : a / 4 == b / 4 ? 1.25 : 2.1);
  }
  const MapProblem problem{.traffic = Traffic::from_entries(8, std::move(entries)),
                           .topology = from_distances(std::move(distances), std::vector<int>(8, 1))};
  const MappingResult best = map_ranks(problem, "auto", without_limit());
  CHECK(best.proven_optimal);
  CHECK(best.cost <= brute_force(problem) * kRounding);
}

TEST_CASE("the microbenchmarks of Faraji et al. on the 16-GPU hierarchies are proven") {
  struct Row {
    const char* name;
    Traffic traffic;
    double identity;
    double best;  ///< on 2:2:2:2
  };
  const std::vector<Row> rows{
      {"2D stencil, w = 1", grid({4, 4}, {1, 1}, false), 112, 104},
      {"2D stencil, w = 3 in x", grid({4, 4}, {3, 1}, false), 272, 176},
      {"2D stencil, w = 3 in y", grid({4, 4}, {1, 3}, false), 176, 176},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    for (const std::vector<int>& shape : {std::vector{2, 2, 2, 2}, std::vector{4, 4}}) {
      const MapProblem problem{.traffic = row.traffic, .topology = tree(shape)};
      const MappingResult result = map_ranks(problem, "auto", without_limit());
      CHECK(result.proven_optimal);
      CHECK(result.lower_bound == result.cost);
      if (shape.size() == 4) {
        CHECK(result.identity_cost == row.identity);
        CHECK(result.cost == row.best);
      }
    }
  }
}

TEST_CASE("a search that is cut short says how far it got") {
  Random random(5);
  const MapProblem problem{.traffic = random_traffic(16, 0.9, random), .topology = random_matrix(16, 1, random)};
  const MapperAnswer answer = map_exact(problem, Budget(MapOptions{.time_limit = Seconds(1000), .effort = 5e-5}));
  CHECK_FALSE(answer.proven_optimal);
  CHECK(answer.lower_bound > 0);
  CHECK(answer.lower_bound < answer.cost);
}

TEST_CASE("QAPLIB instances are proven") {
  const std::vector<std::pair<const char*, double>> optima{{"nug12", 578},  {"had12", 1652}, {"esc16a", 68},
                                                           {"esc16b", 292}, {"esc16e", 28},  {"esc16f", 0},
                                                           {"esc16g", 26},  {"esc16i", 14},  {"esc16j", 8}};
  for (const auto& [name, optimum] : optima) {
    CAPTURE(name);
    const std::optional<std::string> file = test::corpus_file(std::string("qaplib/") + name + ".dat");
    REQUIRE(file);
    const MapperAnswer answer = map_exact(read_qaplib(*file), Budget(MapOptions{.time_limit = Seconds(600)}));
    CHECK(answer.proven_optimal);
    CHECK(answer.cost == optimum);
  }
}
