// SPDX-License-Identifier: BSD-3-Clause

#include <doctest/doctest.h>

#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>

#include <topowise/mapper/constrained/balance.hpp>

using namespace topowise;
using namespace topowise::fixtures;

TEST_CASE("where the heaviest onto the most capacity leaves none, a packing is found if there is one") {
  Random random(71);
  int possible = 0;
  int impossible = 0;
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 4 + random.below(5);
    MapProblem problem{.traffic = grid({int(ranks)}, {1}, false), .topology = tree({3})};
    problem.imbalance = 0;
    for (std::size_t r = 0; r < ranks; ++r) problem.loads.push_back(2 + static_cast<int>(random.below(9)));
    if (round % 3 == 0) problem.fixed = {{Rank(1), Place(2)}};
    const bool fits = least_cost(problem) < std::numeric_limits<double>::infinity();
    ++(fits ? possible : impossible);
    const Mapping packed = pack(problem);
    CHECK((overload(problem, packed) == 0) == fits);
    for (const FixedRank& fixed : problem.fixed) CHECK(packed[fixed.rank] == fixed.place);
  }
  CHECK(possible > 10);
  CHECK(impossible > 10);
}

TEST_CASE("many ranks are packed without an overload") {
  Random random(72);
  MapProblem problem{.traffic = grid({3000}, {1}, false), .topology = tree({4, 8})};
  problem.imbalance = 0;
  for (int r = 0; r < 3000; ++r) problem.loads.push_back(1 + static_cast<int>(random.below(9)));
  CHECK(overload(problem, pack(problem)) == 0);
}
