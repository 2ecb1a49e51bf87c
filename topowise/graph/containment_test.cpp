// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/containment.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace topowise;

namespace {

/// Two compute nodes with two GPUs each, below a switch of the given rate.
TopologyBuilder two_nodes(BytesPerSecond inside = gigabytes_per_second(20),
                          BytesPerSecond network = gigabytes_per_second(10)) {
  TopologyBuilder builder("two nodes");
  const VertexId leaf = builder.add_vertex({.kind = VertexKind::network_switch, .name = "leaf"});
  for (const char* node : {"a", "b"}) {
    const VertexId above = builder.add_vertex({.kind = VertexKind::compute_node, .name = node});
    const VertexId nic =
        builder.add_vertex({.kind = VertexKind::nic, .name = std::string(node) + ":nic", .parent = above});
    builder.add_links({.from = nic, .to = above, .kind = LinkKind::host, .bandwidth = gigabytes_per_second(100)});
    builder.add_links({.from = nic, .to = leaf, .kind = LinkKind::network, .bandwidth = network});
    for (const char* gpu : {":GPU0", ":GPU1"}) {
      const VertexId vertex =
          builder.add_vertex({.kind = VertexKind::gpu, .name = node + std::string(gpu), .parent = above});
      builder.add_links({.from = vertex, .to = above, .kind = LinkKind::pcie, .bandwidth = inside});
      builder.add_place(PlaceKind::gpu, vertex);
    }
  }
  return builder;
}

}  // namespace

TEST_CASE("containment: a cluster whose nodes are near is no contradiction") {
  const Topology machine = two_nodes().build();
  CHECK(machine.level_scopes().back() == LevelScope::between);
  CHECK(machine.level_scopes().front() == LevelScope::inside);
  CHECK(contradiction_in(machine) == "");
}

TEST_CASE("containment: stated distances that put another node nearer") {
  TopologyBuilder builder = two_nodes();
  builder.set_level_distances({5, 2});
  CHECK(contradiction_in(std::move(builder).build()) == "NET1 has distance 2, less than the 5 of PIX, which is nearer");
}

TEST_CASE("containment: one class inside nodes and between them") {
  TopologyBuilder builder = two_nodes();
  builder.set_class(Place(0), Place(1), {PathKind::sys});
  builder.set_class(Place(2), Place(3), {PathKind::pix});
  builder.set_class(Place(0), Place(2), {PathKind::pix});
  CHECK(contradiction_in(std::move(builder).build()) == "pairs of class PIX are inside compute nodes and between them");
}

TEST_CASE("containment: NVLink between nodes may be nearer than PCIe inside one") {
  TopologyBuilder builder = two_nodes();
  builder.set_class(Place(0), Place(2), {PathKind::nvlink, 4});
  CHECK(contradiction_in(std::move(builder).build()) == "");
}

TEST_CASE("containment: a distance for every pair") {
  TopologyBuilder builder = two_nodes();
  std::vector<double> distances(16, 4.0);
  distances[1] = distances[4] = 9.0;
  builder.set_pair_matrix(Metric::distance, {.values = distances, .source = "hand"});
  CHECK(contradiction_in(std::move(builder).build()) ==
        "a:GPU0 is nearer to b:GPU0 than to a:GPU1, which is in the same node");
}

TEST_CASE("containment: a network that is faster than the path inside a node") {
  CHECK(faster_far_level(two_nodes().build()) == "");
  CHECK(faster_far_level(two_nodes(gigabytes_per_second(20), gigabytes_per_second(0)).build()) == "");
  const Topology machine = two_nodes(gigabytes_per_second(20), gigabytes_per_second(50)).build();
  CHECK(faster_far_level(machine) == "");  // the GPU's slot is the narrowest link of both
  TopologyBuilder measured(machine);
  std::vector<double> rates(16, 11e9);
  for (const std::size_t pair : {1, 4, 11, 14}) rates[pair] = 6e9;
  measured.set_pair_matrix(Metric::bandwidth, {.values = rates, .source = "measured"});
  CHECK(faster_far_level(std::move(measured).build()) ==
        "NET1 (11 GB/s) is faster than PIX (6 GB/s), although it is farther");
}

TEST_CASE("levels: what is inside a node comes before the network, whatever describes it") {
  const auto hierarchy = [](TopologyBuilder& builder, VertexId node, const std::string& name) {
    for (const char* leaf : {":0", ":1"}) {
      const VertexId vertex = builder.add_vertex({.name = name + leaf, .parent = node});
      builder.add_links({.from = vertex, .to = node, .kind = LinkKind::abstract});
      builder.add_place(PlaceKind::slot, vertex);
    }
  };
  TopologyBuilder builder("hierarchies");
  const VertexId leaf = builder.add_vertex({.kind = VertexKind::network_switch, .name = "leaf"});
  for (const char* name : {"a", "b"}) {
    const VertexId node = builder.add_vertex({.kind = VertexKind::compute_node, .name = name, .parent = leaf});
    builder.add_links({.from = node, .to = leaf, .kind = LinkKind::network});
    hierarchy(builder, node, name);
  }
  const Topology machine = std::move(builder).build();
  REQUIRE(machine.levels().size() == 2);
  CHECK(to_string(machine.levels()[0]) == "T1");
  CHECK(to_string(machine.levels()[1]) == "NET1");
  CHECK(machine.pair_cost(Metric::hops, Place(0), Place(1)) < machine.pair_cost(Metric::hops, Place(0), Place(2)));
}

TEST_CASE("containment: a description that joins no two places says nothing of them") {
  const auto places = [](const char* node_of_second, bool with_matrix) {
    TopologyBuilder builder("bare");
    for (const char* node : {"a", node_of_second, "a"})
      builder.add_place(PlaceKind::gpu, builder.add_vertex({.kind = VertexKind::gpu, .name = "GPU", .node = node}));
    if (with_matrix) builder.set_pair_matrix(Metric::distance, {std::vector<double>(9, 1.0), {}, {}, {}});
    return std::move(builder).build();
  };
  CHECK(joins_nothing(places("a", false)));
  CHECK(joins_nothing(places("b", false)));
  CHECK(contradiction_in(places("b", false)) == "");
  CHECK_FALSE(joins_nothing(places("a", true)));
  CHECK_FALSE(joins_nothing(two_nodes().build()));
}
