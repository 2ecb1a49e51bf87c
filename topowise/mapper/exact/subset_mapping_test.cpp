// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exact/subset_mapping.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/machines.hpp>

using namespace topowise;
using namespace topowise::fixtures;

TEST_CASE("a hierarchy is found in pair costs, and only there") {
  Random random(1);
  const Traffic traffic = grid({4}, {1}, false);
  const auto machine = find_hierarchy({.traffic = traffic, .topology = tree({2, 3, 2})});
  REQUIRE(machine);
  CHECK(machine->nodes.size() == 12 + 6 + 2 + 1);
  CHECK(machine->nodes.back().capacity == 12);
  CHECK(machine->nodes.back().children.size() == 2);
  CHECK_FALSE(find_hierarchy({.traffic = traffic, .topology = random_matrix(6, 1, random)}));
  // A chain: 0-1 and 1-2 are near, 0-2 is far.
  CHECK_FALSE(find_hierarchy({.traffic = traffic, .topology = from_distances({0, 1, 2, 1, 0, 1, 2, 1, 0}, {2, 2, 2})}));
  // The two places are near in one direction and far in the other.
  CHECK_FALSE(find_hierarchy({.traffic = traffic, .topology = from_distances({0, 1, 2, 0}, {2, 2})}));
}

TEST_CASE("a tree of links is found for max congestion, and only there") {
  Random random(2);
  const Traffic traffic = grid({4}, {1}, false);
  const auto machine =
      find_hierarchy({.traffic = traffic, .topology = tree({2, 1, 3}), .objective = Objective::max_congestion});
  REQUIRE(machine);
  CHECK_FALSE(machine->adds);
  CHECK(machine->nodes.size() == 6 + 2 + 1);  // a chain of single children counts as one node
  CHECK_FALSE(
      find_hierarchy({.traffic = traffic, .topology = ring(5, random), .objective = Objective::max_congestion}));
}

TEST_CASE("work is known before it is done") {
  const MapProblem full{.traffic = grid({16}, {1}, false), .topology = tree({2, 2, 2, 2})};
  CHECK(subset_mapping_work(*find_hierarchy(full), full) < 3e6);
  const MapProblem half{.traffic = grid({16}, {1}, false), .topology = tree({2, 2, 2, 2, 2})};
  CHECK(subset_mapping_work(*find_hierarchy(half), half) > 3e6);
}

TEST_CASE("a deadline that has passed leaves no mapping") {
  const MapProblem problem{.traffic = grid({4, 4}, {3, 1}, false), .topology = tree({2, 2, 2, 2})};
  CHECK_FALSE(subset_mapping(*find_hierarchy(problem), problem, Deadline(Seconds(0))));
}
