// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/group_spread.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <set>
#include <string>

#include <topowise/base/random.hpp>
#include <topowise/graph/make_network.hpp>

using namespace topowise;

namespace {

/// Nodes of four GPUs, NVLink among the GPUs of each, two nodes per switch, all switches below one.
Topology cluster(int nodes) {
  TopologyBuilder builder("cluster");
  const VertexId top = builder.add_vertex({.kind = VertexKind::network_switch, .name = "top"});
  VertexId leaf = top;
  for (int n = 0; n < nodes; ++n) {
    const std::string name = "n" + std::to_string(n);
    if (n % 2 == 0) {
      leaf = builder.add_vertex({.kind = VertexKind::network_switch, .name = "leaf" + std::to_string(n / 2)});
      builder.add_links({.from = leaf, .to = top, .kind = LinkKind::network});
    }
    const VertexId nic = builder.add_vertex({.kind = VertexKind::nic, .name = name + ":nic", .node = name});
    builder.add_links({.from = nic, .to = leaf, .kind = LinkKind::network});
    const VertexId plane = builder.add_vertex({.kind = VertexKind::nvswitch, .name = name + ":nvs", .node = name});
    for (int g = 0; g < 4; ++g) {
      const VertexId gpu =
          builder.add_vertex({.kind = VertexKind::gpu, .name = name + ":GPU" + std::to_string(g), .node = name});
      builder.add_links({.from = gpu, .to = nic, .kind = LinkKind::pcie});
      builder.add_links({.from = gpu, .to = plane, .kind = LinkKind::nvlink});
      builder.add_place(PlaceKind::gpu, gpu);
    }
  }
  return std::move(builder).build();
}

Mapping in_order(std::size_t ranks) {
  std::vector<Place> places;
  for (std::size_t r = 0; r < ranks; ++r) places.emplace_back(r);
  return Mapping(std::move(places));
}

const PartsTouched& of_part(const GroupSpread& spread, std::string_view part) {
  const auto found = std::ranges::find(spread.touched, part, &PartsTouched::part);
  REQUIRE(found != spread.touched.end());
  return *found;
}

}  // namespace

TEST_CASE("a group touches the nodes and switches that its ranks are on") {
  const Topology machine = cluster(4);
  const Traffic traffic = Traffic::from_entries(16, {}).with_groups(
      {{"near", {{0, 1, 2, 3}, {4, 5}}, Bytes(10)}, {"far", {{0, 4, 8, 12}, {1, 5, 9}}, Bytes(20)}});
  const std::vector<GroupSpread> spread = group_spread(traffic, machine, in_order(16));
  REQUIRE(spread.size() == 2);
  CHECK(spread[0].kind == "near");
  CHECK(spread[0].largest == 4);
  CHECK(spread[1].bytes == Bytes(20));
  CHECK(of_part(spread[0], "node").most == 1);  // the domains of NVLink divide alike, and are left out
  CHECK(of_part(spread[1], "node").most == 4);
  CHECK(of_part(spread[1], "node").mean == 3.5);
  CHECK(of_part(spread[1], "node").least_possible == 1);
  CHECK(of_part(spread[1], "switch").most == 2);
  CHECK(of_part(spread[0], "switch").mean == 1);
}

TEST_CASE("without groups there is no spread, and without parts none that is touched") {
  CHECK(group_spread(Traffic::from_entries(4, {}), cluster(1), in_order(4)).empty());
  const Topology grid = make_network("grid", GridShape{.sizes = {4, 4}, .closed = true}, {}, "test");
  const Traffic traffic = Traffic::from_entries(16, {}).with_groups({{"row", {{0, 1, 2, 3}}, Bytes(1)}});
  CHECK(group_spread(traffic, grid, in_order(16)).front().touched.empty());
}

TEST_CASE("in a dragonfly and a tree the counts are those of a set of parts") {
  Random random(2);
  const Topology fly =
      make_network("fly", DragonflyShape{.places = 2, .routers = 3, .groups = 4, .links = 1}, {}, "test");
  for (int i = 0; i < 20; ++i) {
    std::vector<Place> places;
    for (std::size_t p = 0; p < fly.place_count(); ++p) places.emplace_back(p);
    random.shuffle(std::span(places));
    const Mapping mapping(places);
    std::vector<std::uint32_t> group(2 + random.below(10));
    std::iota(group.begin(), group.end(), random.below(10));
    std::set<std::size_t> routers;
    std::set<std::size_t> groups;
    for (const std::uint32_t rank : group) {
      routers.insert(mapping[Rank(rank)].index() / 2);
      groups.insert(mapping[Rank(rank)].index() / 6);
    }
    const Traffic traffic = Traffic::from_entries(24, {}).with_groups({{"some", {group}, Bytes(1)}});
    const GroupSpread spread = group_spread(traffic, fly, mapping).front();
    CHECK(of_part(spread, "router").most == routers.size());
    CHECK(of_part(spread, "group of routers").most == groups.size());
    CHECK(of_part(spread, "router").least_possible == (group.size() + 1) / 2);
  }
}

TEST_CASE("groups of one shape are one kind, and what is added again adds up") {
  RankGroupsByShape shapes;
  shapes.add({0, 1, 2, 3}, Bytes(5));
  shapes.add({7, 6, 5, 4}, Bytes(5));
  shapes.add({0, 4}, Bytes(30));
  shapes.add({0, 1, 2, 3}, Bytes(1));
  shapes.add({0, 1, 3}, Bytes(2));
  shapes.add({9}, Bytes(100));
  const std::vector<RankGroups> kinds = shapes.list();
  REQUIRE(kinds.size() == 3);
  CHECK(kinds[0].kind == "2 ranks, 4 apart");
  CHECK(kinds[1].kind == "4 ranks, 1 apart");
  CHECK(kinds[1].groups.size() == 2);
  CHECK(kinds[1].bytes == Bytes(11));
  CHECK(kinds[2].kind == "3 ranks");
}
