// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/map_exact.hpp>
#include <topowise/mapper/mapper.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include <tests/corpus.hpp>
#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/mapper/problem/hierarchy.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

void compare_with_brute_force(const MapProblem& problem) {
  const MapperAnswer answer = map_exact(problem, Budget());
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
  // Distances along a ring: the orbits of the search have work to do, also with fewer ranks than places.
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
    if (ranks + 0 > 4 && problem.ranks_per_place > 0) continue;  // too many for the oracle
    compare_with_brute_force(problem);
  }
}

TEST_CASE("brute force agrees where ranks are fixed or have loads" * doctest::test_suite("threads")) {
  Random random(6);
  int impossible = 0;
  for (int round = 0; round < 240; ++round) {
    CAPTURE(round);
    const MapProblem problem = random_constrained(round, random);
    const double least = least_cost(problem);
    if (least == std::numeric_limits<double>::infinity()) {
      ++impossible;
      CHECK_THROWS_AS((void)map_exact(problem, Budget()), Error);
      continue;
    }
    const MapperAnswer answer = map_exact(problem, Budget());
    CHECK(answer.proven_optimal);
    CHECK(answer.cost == doctest::Approx(least));
    CHECK(answer.lower_bound == doctest::Approx(least));
    CHECK(cost_of(problem, answer.mapping) == doctest::Approx(least));
    CHECK(std::ranges::all_of(capacity_left(problem, answer.mapping), [](std::int64_t here) { return here >= 0; }));
    for (const FixedRank& fixed : problem.fixed) CHECK(answer.mapping[fixed.rank] == fixed.place);
    const MappingResult result = map_ranks(problem, "auto", {.threads = 1});
    CHECK(result.proven_optimal);
    CHECK(result.cost == doctest::Approx(least));
    CHECK(map_ranks(problem, "auto", {.threads = 2}).mapping == result.mapping);
  }
  CHECK(impossible > 0);
  CHECK(impossible < 120);
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
      const MappingResult result = map_ranks(problem);
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
