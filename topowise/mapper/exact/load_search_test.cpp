// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exact/load_search.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>

#include <topowise/mapper/constrained/balance.hpp>

using namespace topowise;
using namespace topowise::fixtures;

TEST_CASE("brute force agrees on the least hop-bytes of ranks with loads") {
  Random random(91);
  for (int round = 0; round < 90; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 3 + random.below(4);
    MapProblem problem{.traffic = random_traffic(ranks, 0.6, random), .topology = random_matrix(4, 2, random)};
    if (round % 3 == 1) problem.topology = tree({2, 2});  // a machine with symmetries
    if (round % 3 == 2) problem.topology = from_distances({0, 1, 2, 1, 0, 1, 2, 1, 0}, {2, 2, 2});
    problem.imbalance = 0.2 * (round % 5);
    for (std::size_t r = 0; r < ranks; ++r) problem.loads.push_back(1 + static_cast<int>(random.below(4)));
    const Mapping start = pack(problem);
    if (overload(problem, start) > 0) continue;
    if (round % 4 == 3) problem.fixed = {{Rank(1), start[Rank(1)]}};
    const MapperAnswer answer = load_search(problem, start, 1'000'000, 0.0, Deadline(Seconds(100)));
    CHECK(answer.proven_optimal);
    CHECK(answer.cost == doctest::Approx(least_cost(problem)));
    CHECK(answer.lower_bound == doctest::Approx(answer.cost));
    CHECK(cost_of(problem, answer.mapping) == doctest::Approx(answer.cost));
    CHECK(overload(problem, answer.mapping) == 0);
    for (const FixedRank& fixed : problem.fixed) CHECK(answer.mapping[fixed.rank] == fixed.place);
  }
}

TEST_CASE("a search by loads that is cut short says how far it got") {
  Random random(92);
  MapProblem problem{.traffic = random_traffic(14, 0.6, random), .topology = random_matrix(6, 1, random)};
  problem.imbalance = 0.1;
  for (int r = 0; r < 14; ++r) problem.loads.push_back(1 + static_cast<int>(random.below(5)));
  const Mapping start = pack(problem);
  REQUIRE(overload(problem, start) == 0);
  const MapperAnswer answer = load_search(problem, start, 50, 0.0, Deadline(Seconds(100)));
  CHECK_FALSE(answer.proven_optimal);
  CHECK(answer.lower_bound < answer.cost);
  CHECK(answer.cost <= cost_of(problem, start));
  CHECK(overload(problem, answer.mapping) == 0);
}
