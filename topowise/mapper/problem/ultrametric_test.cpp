// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/ultrametric.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

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
  PlaceNumbers all(12);
  std::iota(all.begin(), all.end(), 0);
  CHECK(parts_by_distance(distances, 12, all) == std::vector<PlaceNumbers>{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}});
  CHECK(parts_by_distance(distances, 12, {0, 1, 3, 4}) == std::vector<PlaceNumbers>{{0, 1}, {3}, {4}});
  CHECK(parts_by_distance(distances, 12, {4, 5}) == std::vector<PlaceNumbers>{{4}, {5}});
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

namespace {

/// Nodes of `each` GPUs joined by NVLink. Each node has an adapter on one of the switches; the switches are joined.
Topology cluster_of(std::size_t nodes, std::size_t each, std::size_t odd_node) {
  TopologyBuilder builder("cluster");
  const auto join = [&](VertexId a, VertexId b, LinkKind kind) {
    builder.add_links({.from = a, .to = b, .kind = kind, .bandwidth = gigabytes_per_second(10)});
  };
  const VertexId spine = builder.add_vertex({.kind = VertexKind::network_switch, .name = "spine"});
  std::vector<VertexId> leaves;
  for (int leaf = 0; leaf < 2; ++leaf) {
    leaves.push_back(builder.add_vertex({.kind = VertexKind::network_switch, .name = fmt::format("leaf{}", leaf)}));
    join(leaves.back(), spine, LinkKind::network);
  }
  for (std::size_t node = 0; node < nodes; ++node) {
    const std::string name = fmt::format("n{}", node);
    const VertexId joint = builder.add_vertex({.kind = VertexKind::nvswitch, .name = name + ":nvs", .node = name});
    const VertexId nic = builder.add_vertex({.kind = VertexKind::nic, .name = name + ":nic", .node = name});
    join(nic, leaves[node % 2], LinkKind::network);
    for (std::size_t i = 0; i < each + (node == odd_node ? 1 : 0); ++i) {
      const VertexId gpu =
          builder.add_vertex({.kind = VertexKind::gpu, .name = fmt::format("{}:GPU{}", name, i), .node = name});
      join(gpu, joint, LinkKind::nvlink);
      join(gpu, nic, LinkKind::pcie);
      builder.add_place(PlaceKind::gpu, gpu);
    }
  }
  return std::move(builder).build();
}

}  // namespace

TEST_CASE(
    "levels of a large cluster: its nodes, and the whole; none where nodes differ or all pairs can be looked at") {
  constexpr std::size_t kNone = 1'000'000;
  const auto levels_of = [](Topology machine) {
    const MapProblem problem = on(std::move(machine));
    return uniform_levels(problem, place_capacities(problem));
  };
  const Topology machine = cluster_of(600, 8, kNone);
  const std::vector<UniformLevel> levels = levels_of(machine);
  REQUIRE(levels.size() == 2);
  CHECK(levels[0].reach == 1);
  CHECK(levels[0].wider == 8);
  CHECK(levels[0].distance == machine.distance(Place(0), Place(1)));
  CHECK(levels[1].reach == 8);
  CHECK(levels[1].wider == 4800);
  CHECK(levels[1].distance == machine.distance(Place(0), Place(16)));  // on one leaf
  CHECK(levels[1].distance < machine.distance(Place(0), Place(8)));    // across the spine
  CHECK(levels_of(cluster_of(600, 8, 7)).empty());
  CHECK(levels_of(cluster_of(20, 8, kNone)).empty());
}
