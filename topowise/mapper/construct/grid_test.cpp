// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/mapper_functions.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/machines.hpp>

using namespace topowise;
using namespace topowise::fixtures;

TEST_CASE("grid: blocks where the sizes divide, for hop-bytes of a known optimum") {
  // 8 x 8 on 4 nodes of 16: each node holds a block of 4 x 4, and each 2 x 2 of it stays together. Of 112 links in all,
  // 16 cross the border of a node, 32 more cross that of a quarter, and the other 64 stay inside quarters.
  const MapProblem problem{.traffic = grid({8, 8}, {1, 1}, false), .topology = tree({4, 4, 4})};
  const std::optional<MapperAnswer> found = map_grid_if_there(problem, Deadline::never());
  REQUIRE(found);
  const double cost = evaluate(problem.objective, problem.traffic, problem.topology, found->mapping, problem.metric);
  CHECK(cost == 2 * (64 * 1 + 32 * 2 + 16 * 3));
}

TEST_CASE("grid: light axes are cut first, sizes that do not divide are cut in a plane") {
  const MapProblem heavy{.traffic = grid({4, 4}, {1, 9}, false), .topology = tree({4, 4})};
  const std::optional<MapperAnswer> rows = map_grid_if_there(heavy, Deadline::never());
  REQUIRE(rows);
  for (std::size_t rank = 0; rank < 16; ++rank) CHECK(rows->mapping[Rank(rank)].index() / 4 == rank / 4);
  const MapProblem odd{.traffic = grid({5, 3}, {1, 1}, false), .topology = tree({2, 8})};
  const std::optional<MapperAnswer> halves = map_grid_if_there(odd, Deadline::never());
  REQUIRE(halves);
  int crossing = 0;
  for (const TrafficEntry& entry : odd.traffic.entries())
    crossing += halves->mapping[entry.source].index() / 8 != halves->mapping[entry.destination].index() / 8 ? 1 : 0;
  CHECK(crossing == 2 * 4);
}

TEST_CASE("grid: other traffic is left alone") {
  const Traffic star = Traffic::from_entries(25, {{Rank(0), Rank(12), Bytes(1)}, {Rank(0), Rank(1), Bytes(1)}});
  CHECK(map_grid_if_there({.traffic = star, .topology = tree({5, 5})}, Deadline::never()).has_value() == false);
  CHECK(map_grid({.traffic = star, .topology = tree({5, 5})}, Budget()).mapping[Rank(5)] == Place(5));
}
