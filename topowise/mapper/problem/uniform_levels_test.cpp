// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/uniform_levels.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/base/random.hpp>

using namespace topowise;

namespace {

/// Nodes of four GPUs on leaf switches below one top switch; `leaves(node)` are the leaf switches that a node is on.
template <class Leaves>
Topology cluster(int nodes, const Leaves& leaves) {
  TopologyBuilder builder("cluster");
  const VertexId top = builder.add_vertex({.kind = VertexKind::network_switch, .name = "top"});
  std::vector<VertexId> switches;
  const auto leaf = [&](std::size_t number) {
    while (switches.size() <= number) {
      switches.push_back(
          builder.add_vertex({.kind = VertexKind::network_switch, .name = "leaf" + std::to_string(switches.size())}));
      builder.add_links({.from = switches.back(), .to = top, .kind = LinkKind::network});
    }
    return switches[number];
  };
  for (int n = 0; n < nodes; ++n) {
    const std::string name = "n" + std::to_string(n);
    const VertexId plane = builder.add_vertex({.kind = VertexKind::pcie_switch, .name = name + ":plx", .node = name});
    for (const std::size_t number : leaves(n)) {
      const VertexId nic = builder.add_vertex(
          {.kind = VertexKind::nic, .name = name + ":nic" + std::to_string(number), .node = name, .parent = plane});
      builder.add_links({.from = nic, .to = plane, .kind = LinkKind::pcie});
      builder.add_links({.from = nic, .to = leaf(number), .kind = LinkKind::network});
    }
    for (int g = 0; g < 4; ++g) {
      const VertexId gpu = builder.add_vertex(
          {.kind = VertexKind::gpu, .name = name + ":GPU" + std::to_string(g), .node = name, .parent = plane});
      builder.add_links({.from = gpu, .to = plane, .kind = LinkKind::pcie});
      builder.add_place(PlaceKind::gpu, gpu);
    }
  }
  return std::move(builder).build();
}

std::vector<UniformLevel> levels_of(const Topology& machine) {
  const MapProblem problem{.traffic = Traffic::from_entries(8, {}), .topology = machine};
  return uniform_levels(problem, place_capacities(problem));
}

/// No pair that meets at a level is nearer than it says.
void check_pairs(const Topology& machine, const std::vector<UniformLevel>& levels) {
  Random random(4);
  const auto count = static_cast<std::uint32_t>(machine.place_count());
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t a = random.below(count);
    const std::uint32_t b = i % 2 == 0 ? random.below(count) : (a + 1 + random.below(20)) % count;
    for (const UniformLevel& level : levels) {
      if (a / level.reach == b / level.reach || a / level.wider != b / level.wider) continue;
      REQUIRE(machine.distance(Place(a), Place(b)) >= level.distance);
    }
  }
}

}  // namespace

TEST_CASE("a large cluster has the levels of its nodes and of the switches that they are on") {
  const Topology machine = cluster(1040, [](int node) { return std::vector<std::size_t>{std::size_t(node) / 8}; });
  const std::vector<UniformLevel> levels = levels_of(machine);
  REQUIRE(levels.size() == 3);
  CHECK(levels[0].wider == 4);
  CHECK(levels[1].wider == 32);
  CHECK(levels[2].wider == 4160);
  CHECK(levels[1].distance < levels[2].distance);
  check_pairs(machine, levels);
}

TEST_CASE("nodes that share only some of their switches have no level of switches, nor have those in mixed order") {
  const Topology rails = cluster(1040, [](int node) {
    const std::size_t block = std::size_t(node) / 8;
    return std::vector<std::size_t>{block, node % 8 == 7 ? block + 1 : block + 200};
  });
  CHECK(levels_of(rails).size() <= 2);
  check_pairs(rails, levels_of(rails));
  const Topology mixed = cluster(1040, [](int node) { return std::vector<std::size_t>{std::size_t(node) % 130}; });
  CHECK(levels_of(mixed).size() == 2);
  check_pairs(mixed, levels_of(mixed));
}
