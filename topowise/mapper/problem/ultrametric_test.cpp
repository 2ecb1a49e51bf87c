// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/ultrametric.hpp>

#include <doctest/doctest.h>

#include <numeric>

#include <tests/fixtures/machines.hpp>

#include <topowise/mapper/problem/uniform_levels.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

MapProblem on(Topology machine) {
  return {.traffic = grid({2}, {1}, false), .topology = std::move(machine)};
}

std::vector<double> distances_of(const MapProblem& problem) {
  return pair_distances(problem, place_capacities(problem));
}

}  // namespace

TEST_CASE("distances of a tree are an ultrametric, and one that is a little longer makes them none") {
  const MapProblem problem = on(tree({2, 3, 2}));
  std::vector<double> distances = distances_of(problem);
  REQUIRE(distances.size() == 144);
  CHECK(is_ultrametric(distances, 12));
  distances[3 * 12 + 7] = distances[7 * 12 + 3] += 1;
  CHECK_FALSE(is_ultrametric(distances, 12));
  CHECK(is_ultrametric({}, 0));
  CHECK(is_ultrametric(std::vector<double>{0}, 1));
}

TEST_CASE("a group is divided at its greatest distance, in the order of its members") {
  const MapProblem problem = on(tree({2, 3, 2}));
  const std::vector<double> distances = distances_of(problem);
  PlaceGroup all(12);
  std::iota(all.begin(), all.end(), 0);
  CHECK(parts_by_distance(distances, 12, all) == std::vector<PlaceGroup>{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}});
  CHECK(parts_by_distance(distances, 12, {0, 1, 3, 4}) == std::vector<PlaceGroup>{{0, 1}, {3}, {4}});
  CHECK(parts_by_distance(distances, 12, {4, 5}) == std::vector<PlaceGroup>{{4}, {5}});
}

TEST_CASE("a minimum spanning tree joins each place by its shortest edge, to one that is in it") {
  const std::vector<double> at{0, 7, 1, 4};
  const auto edges = minimum_spanning_tree(
      4, [&](std::size_t a, std::size_t b) { return at[a] > at[b] ? at[a] - at[b] : at[b] - at[a]; });
  REQUIRE(edges.size() == 3);
  CHECK((edges[0].from == 0 && edges[0].to == 2 && edges[0].length == 1));
  CHECK((edges[1].from == 2 && edges[1].to == 3 && edges[1].length == 3));
  CHECK((edges[2].from == 3 && edges[2].to == 1 && edges[2].length == 3));
}

TEST_CASE("levels of a uniform hierarchy, levels of one child left out; none where not all places may be used") {
  MapProblem problem = on(tree({2, 1, 3}));
  const std::vector<UniformLevel> levels = uniform_levels(problem, place_capacities(problem));
  REQUIRE(levels.size() == 2);
  CHECK(levels[0].reach == 1);
  CHECK(levels[0].wider == 3);
  CHECK(levels[0].distance == problem.topology.distance(Place(0), Place(1)));
  CHECK(levels[1].reach == 3);
  CHECK(levels[1].wider == 6);
  CHECK(levels[1].distance == problem.topology.distance(Place(0), Place(3)));
  problem.allowed = {Place(0), Place(1)};
  CHECK(uniform_levels(problem, place_capacities(problem)).empty());
}
