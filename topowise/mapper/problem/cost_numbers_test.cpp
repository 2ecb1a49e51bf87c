// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/cost_numbers.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>

#include <topowise/base/error.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/instance.hpp>

using namespace topowise;
using namespace topowise::fixtures;

TEST_CASE("costs are multiples of their step, and a bound rounded up to one is still below the optimum") {
  Random random(17);
  for (int round = 0; round < 60; ++round) {
    const std::size_t ranks = 4 + random.below(3);
    MapProblem problem{.traffic = random_traffic(ranks, 0.5, random),
                       .topology = round % 2 == 0 ? random_matrix(ranks, 1, random) : tree({2, 2, 2})};
    const double step = cost_step(problem);
    REQUIRE(step >= 1);
    Mapping mapping = fill_in_order(problem);
    const double cost = cost_of(problem, mapping);
    CHECK(std::fmod(cost, step) == 0);
    CHECK(next_cost(cost, step) == cost);
    CHECK(next_cost(cost * (1 - 1e-12), step) == cost);
    if (cost > 0) CHECK(next_cost(cost - 0.5 * step, step) == cost);
    const MappingResult result = map_ranks(problem, "greedy", {.time_limit = Seconds(100), .effort = 1e-3});
    CHECK(std::fmod(result.lower_bound, step) == 0);
    CHECK(result.lower_bound <= map_ranks(problem, "exact", {.time_limit = Seconds(100)}).cost);
  }
}

TEST_CASE("a bound that adds up the traffic once is rounded up to steps that are small beside it") {
  const Traffic traffic = grid({100, 90}, {1, 1}, false);
  CHECK(next_cost(10789647925247.887, 7296) == 10789647925247.887);
  CHECK(next_cost(10789647925247.887, 7296, rounding_of_one_sum(traffic)) == 10789647925248);
}

TEST_CASE("fractions have no step") {
  MapProblem problem{.traffic = grid({4}, {0.5}, false), .topology = tree({2, 2})};
  CHECK(cost_step(problem) == 1);  // the sum of both directions of a pair
  problem.traffic = grid({4}, {0.3}, false);
  CHECK(cost_step(problem) == 0);
  CHECK(next_cost(1.25, 0) == 1.25);
  problem.metric = Metric::bandwidth;
  CHECK(cost_step(problem) == 0);
}

TEST_CASE("a cost that overflows is an error of the input, whatever the mapper") {
  MapProblem problem{.traffic = grid({4}, {1.5e307}, false), .topology = tree({2, 2})};
  for (const char* mapper : {"auto", "identity", "multilevel", "greedy"}) {
    CHECK_THROWS_WITH_AS((void)map_ranks(problem, mapper), doctest::Contains("more than a floating-point number holds"),
                         Error);
  }
  problem.traffic = grid({4}, {1e300}, false);
  CHECK(map_ranks(problem, "auto").cost > 1e300);
}

TEST_CASE("a proof has a tolerance where rounding could hide an amount, and none where costs come in steps") {
  MapProblem problem{
      .traffic = Traffic::from_entries(4, {{Rank(0), Rank(1), Bytes(1e12), 1}, {Rank(2), Rank(3), Bytes(0.3), 1}}),
      .topology = tree({2, 2})};
  CHECK(proof_tolerance(problem, 1e12) == kRoundingOfSums);
  problem.traffic = Traffic::from_entries(4, {{Rank(0), Rank(1), Bytes(1e6), 1}, {Rank(2), Rank(3), Bytes(0.3), 1}});
  CHECK(proof_tolerance(problem, 1e6) == 0);
  problem.traffic = Traffic::from_entries(4, {{Rank(0), Rank(1), Bytes(1e12), 1}, {Rank(2), Rank(3), Bytes(3), 1}});
  CHECK(proof_tolerance(problem, 1e12) == 0);
}
