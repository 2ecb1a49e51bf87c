// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/construct/grid_embedding.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/machines.hpp>
#include <tests/fixtures/mapping_problems.hpp>

#include <topowise/mapper/problem/mapper_functions.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

double cost_of(const MapProblem& problem, const Mapping& mapping) {
  return evaluate(problem.objective, problem.traffic, problem.topology, mapping, problem.metric);
}

std::optional<Mapping> embed(const MapProblem& problem) {
  const Deadline deadline(Seconds(60));
  const std::optional<Grid> shape = find_grid(problem.traffic, deadline);
  REQUIRE(shape);
  return embed_grid(problem, *shape, deadline);
}

/// No place holds more ranks than it may.
void check_capacity(const Mapping& mapping, std::size_t places, std::size_t capacity) {
  std::vector<std::size_t> load(places, 0);
  for (const Place place : mapping.places()) ++load.at(place.index());
  for (const std::size_t ranks : load) CHECK(ranks <= capacity);
}

}  // namespace

TEST_CASE("a grid on the torus of the same points, its axes in another order, keeps all neighbours") {
  const MapProblem problem{.traffic = grid({2, 6, 4}, {1, 1, 1}, true), .topology = multilevel::torus({4, 2, 6})};
  const std::optional<Mapping> found = embed(problem);
  REQUIRE(found);
  double bytes = 0;
  for (const TrafficEntry& entry : problem.traffic.entries()) bytes += entry.bytes.value();
  CHECK(cost_of(problem, *found) == bytes);
  check_capacity(*found, 48, 1);
}

TEST_CASE("a longer axis is folded: only the fold costs more than one hop") {
  // 16 x 8 x 4 on 8 x 8 x 8: there are 1312 pairs; the 32 pairs at the fold of the 16 are two hops apart on average.
  const MapProblem problem{.traffic = grid({16, 8, 4}, {1, 1, 1}, false), .topology = multilevel::torus({8, 8, 8})};
  const std::optional<Mapping> found = embed(problem);
  REQUIRE(found);
  CHECK(cost_of(problem, *found) <= 2 * (1312 + 32));
  check_capacity(*found, 512, 1);
  const std::optional<MapperAnswer> answer = map_grid_if_there(problem, Deadline::never());
  REQUIRE(answer);
  CHECK(cost_of(problem, answer->mapping) <= 2 * (1312 + 32));
}

TEST_CASE("a snake on a mesh, fewer ranks than places, several ranks on a place") {
  // 24 ranks in a row on 24 of 28 places form a snake: no step is longer than one hop.
  const MapProblem row{.traffic = grid({24}, {1}, false), .topology = multilevel::torus({7, 4})};
  const std::optional<Mapping> snake = embed(row);
  REQUIRE(snake);
  CHECK(cost_of(row, *snake) == 2 * 23);
  check_capacity(*snake, 28, 1);
  MapProblem shared{.traffic = grid({8, 4}, {1, 1}, false), .topology = multilevel::torus({4, 4})};
  shared.ranks_per_place = 2;
  const std::optional<Mapping> pairs = embed(shared);
  REQUIRE(pairs);
  // Along the row of 8, pairs share a place, and the others are one hop apart.
  CHECK(cost_of(shared, *pairs) == 2 * (3 * 4 + 8 * 3));
  check_capacity(*pairs, 16, 2);
}

TEST_CASE("nothing for machines that are no grid and for sizes without fitting factors") {
  CHECK(embed({.traffic = grid({4, 4}, {1, 1}, false), .topology = tree({4, 4})}).has_value() == false);
  CHECK(embed({.traffic = grid({11}, {1}, false), .topology = multilevel::torus({4, 4})}).has_value() == false);
}
