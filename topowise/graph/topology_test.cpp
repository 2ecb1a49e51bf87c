// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/topology.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/json.hpp>

using namespace topowise;

namespace {

/// Two sockets, a root complex each, two PCIe switches below each, two GPUs below each switch; an NVLink bond of 2
/// between GPUs 0 and 7.
TopologyBuilder two_sockets(bool with_nvlink) {
  TopologyBuilder builder("two sockets");
  std::vector<VertexId> packages;
  std::vector<VertexId> gpus;
  const auto below = [&](VertexKind kind, std::string name, VertexId parent, LinkKind link) {
    const VertexId id = builder.add_vertex({.kind = kind, .name = std::move(name), .parent = parent});
    builder.add_links(
        {.from = id, .to = parent, .kind = link, .bandwidth = gigabytes_per_second(16), .latency = microseconds(1)});
    return id;
  };
  for (int s = 0; s < 2; ++s) {
    packages.push_back(builder.add_vertex({.kind = VertexKind::package, .name = "socket"}));
    const VertexId root = below(VertexKind::root_complex, "root complex", packages.back(), LinkKind::host);
    for (int w = 0; w < 2; ++w) {
      const VertexId pcie_switch = below(VertexKind::pcie_switch, "switch", root, LinkKind::pcie);
      for (int g = 0; g < 2; ++g) gpus.push_back(below(VertexKind::gpu, "GPU", pcie_switch, LinkKind::pcie));
    }
  }
  builder.add_links({.from = packages[0],
                     .to = packages[1],
                     .kind = LinkKind::inter_socket,
                     .bandwidth = gigabytes_per_second(10),
                     .latency = microseconds(1)});
  if (with_nvlink)
    builder.add_links({.from = gpus[0],
                       .to = gpus[7],
                       .kind = LinkKind::nvlink,
                       .width = 2,
                       .bandwidth = gigabytes_per_second(50),
                       .latency = microseconds(1)});
  for (const VertexId gpu : gpus) builder.add_place(PlaceKind::gpu, gpu);
  return builder;
}

TopologyBuilder uniform(const std::vector<int>& arities) {
  TopologyBuilder builder("uniform");
  std::vector<VertexId> above{builder.add_vertex({.name = "root"})};
  for (const int arity : arities) {
    std::vector<VertexId> here;
    for (const VertexId parent : above) {
      for (int i = 0; i < arity; ++i) {
        here.push_back(builder.add_vertex({.name = "v", .parent = parent}));
        builder.add_links({.from = here.back(), .to = parent, .bandwidth = gigabytes_per_second(1)});
      }
    }
    above = here;
  }
  for (const VertexId leaf : above) builder.add_place(PlaceKind::slot, leaf);
  return builder;
}

}  // namespace

TEST_CASE("classes follow the farthest thing on the route") {
  const Topology topology = two_sockets(false).build();
  CHECK(to_string(topology.path_class(Place(0), Place(1))) == "PIX");
  CHECK(to_string(topology.path_class(Place(0), Place(2))) == "PHB");
  CHECK(to_string(topology.path_class(Place(0), Place(4))) == "SYS");
  REQUIRE(topology.levels().size() == 3);
  CHECK(topology.level(Place(0), Place(0)) == -1);
  CHECK(topology.level(Place(1), Place(0)) == 0);
  CHECK(topology.distance(Place(0), Place(7)) == 3.0);
  CHECK(topology.route(Place(0), Place(7)).size() == 7);
  CHECK(topology.bandwidth(Place(0), Place(7)) == gigabytes_per_second(10));
  CHECK(topology.latency(Place(0), Place(1)).value() == doctest::Approx(2e-6));
  CHECK(topology.pair_cost(Metric::bandwidth, Place(0), Place(7)) == doctest::Approx(1.6));
}

TEST_CASE("a direct bond is taken, and GPUs do not forward NVLink traffic") {
  const Topology topology = two_sockets(true).build();
  CHECK(to_string(topology.path_class(Place(0), Place(7))) == "NV2");
  CHECK(topology.route(Place(0), Place(7)).size() == 1);
  CHECK(to_string(topology.path_class(Place(1), Place(6))) == "SYS");
  CHECK(topology.level(Place(0), Place(7)) == 0);
  CHECK(topology.level(Place(0), Place(1)) == 1);
}

TEST_CASE("a large tree answers pairs as a small one would") {
  const std::vector<int> arities{3, 2, 4};
  TopologyBuilder with_arities = uniform(arities);
  with_arities.set_arities(arities);
  const Topology stated = std::move(with_arities).build();
  const Topology derived = uniform(arities).build();
  REQUIRE(stated.levels().size() == 3);
  for (std::size_t a = 0; a < 24; ++a) {
    for (std::size_t b = 0; b < 24; ++b) CHECK(stated.level(Place(a), Place(b)) == derived.level(Place(a), Place(b)));
  }
}

TEST_CASE("beyond the dense limit levels come from the tree") {
  const Topology topology = uniform({3, 40, 40}).build();
  REQUIRE(topology.place_count() == 4800);
  REQUIRE(topology.levels().size() == 3);
  CHECK(topology.level(Place(0), Place(39)) == 0);
  CHECK(topology.level(Place(0), Place(40)) == 1);
  CHECK(topology.level(Place(0), Place(4799)) == 2);
  CHECK(topology.pair_cost(Metric::bandwidth, Place(0), Place(4799)) == 1.0);
}

TEST_CASE("a machine that cannot be is refused with its culprit") {
  const auto what = [](TopologyBuilder builder) -> std::string {
    try {
      (void)std::move(builder).build();
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(what(TopologyBuilder("empty")) == "'empty' has no place for a rank");

  TopologyBuilder cycle("cycle");
  const VertexId a = cycle.add_vertex({.name = "a"});
  const VertexId b = cycle.add_vertex({.name = "b", .parent = a});
  cycle.set_parent(a, b);
  cycle.add_place(PlaceKind::gpu, b);
  CHECK(what(std::move(cycle)) == "'a' is its own ancestor");

  TopologyBuilder loop("loop");
  const VertexId v = loop.add_vertex({.name = "v"});
  loop.add_place(PlaceKind::gpu, v);
  loop.add_link({.from = v, .to = v});
  CHECK(what(std::move(loop)) == "a link joins 'v' to itself");
}

TEST_CASE("where a source states affinities, they and not the values make the cost") {
  TopologyBuilder builder("measured");
  for (int i = 0; i < 3; ++i) builder.add_place(PlaceKind::gpu, builder.add_vertex({.kind = VertexKind::gpu}));
  builder.set_pair_matrix(Metric::latency, {{0, 2e-6, 4e-6, 2e-6, 0, 8e-6, 4e-6, 8e-6, 0},
                                            "measured",
                                            {0, 3, 1.5, 3, 0, 1, 1.5, 1, 0},
                                            {{}, {}, {}, "2026-01-02T03:04:05Z"}});
  const Topology machine = std::move(builder).build();
  CHECK(machine.latency(Place(0), Place(2)).value() == 4e-6);
  CHECK(machine.pair_cost(Metric::latency, Place(0), Place(1)) == 1.0);
  CHECK(machine.pair_cost(Metric::latency, Place(0), Place(2)) == 2.0);
  CHECK(machine.pair_cost(Metric::latency, Place(1), Place(2)) == 3.0);
  const std::size_t order[] = {2, 0};
  const PairMatrix part = select_places(*machine.pair_matrix(Metric::latency), 3, order);
  CHECK(part.values == std::vector<double>{0, 4e-6, 4e-6, 0});
  CHECK(part.affinity == std::vector<double>{0, 1.5, 1.5, 0});
  CHECK(part.statistics.mean.empty());
  CHECK(part.statistics.date == "2026-01-02T03:04:05Z");
  CHECK(topology_from_json("copy", to_json(machine)).pair_matrix(Metric::latency)->affinity ==
        machine.pair_matrix(Metric::latency)->affinity);
}

TEST_CASE("class names are read back") {
  for (const char* name : {"X", "NV12", "XGMI4", "XGMIH2", "C2C", "LINK", "LINK2", "PSB", "PIX", "PXB", "PHB", "NODE",
                           "SYS", "NET2", "T1", "M3", "NONE"}) {
    const auto path = parse_path_class(name);
    REQUIRE(path);
    CHECK(to_string(*path) == name);
  }
  CHECK(parse_path_class("SOC") == PathClass{PathKind::sys, 0});
  CHECK_FALSE(parse_path_class("NV"));
  CHECK_FALSE(parse_path_class("banana"));
  CHECK(PathClass{PathKind::nvlink, 4} < PathClass{PathKind::nvlink, 1});
}

TEST_CASE("bus ids of all spellings are one value") {
  CHECK(PciAddress::parse("0000:C4:00.0") == PciAddress::parse("00000000:c4:00.0"));
  CHECK(PciAddress::parse("c4:00.0")->to_string() == "0000:c4:00.0");
  CHECK_FALSE(PciAddress::parse("c4"));
  CHECK_FALSE(PciAddress::parse("0000:zz:00.0"));
  CHECK_FALSE(PciAddress::parse("0000:c4:20.0"));
}

TEST_CASE("a machine built from another one is the same but for what is replaced") {
  TopologyBuilder first("four");
  const VertexId root = first.add_vertex({.kind = VertexKind::pcie_switch, .name = "S"});
  for (const char* name : {"GPU0", "GPU1", "GPU2"}) {
    const VertexId gpu = first.add_vertex({.kind = VertexKind::gpu, .name = name, .parent = root});
    first.add_links({.from = gpu, .to = root, .kind = LinkKind::pcie, .bandwidth = BytesPerSecond(1e9), .source = "a"});
    first.add_place(PlaceKind::gpu, gpu, 2);
  }
  first.set_class(Place(0), Place(2), {PathKind::sys, 0});
  first.set_level_distances({1, 10});
  first.set_pair_matrix(Metric::latency, {.values = std::vector<double>(9, 3.0), .source = "hand"});
  first.set_congestion({.link_bandwidth = BytesPerSecond(5e9), .tau = 0.1});
  first.warn("old");
  const Topology machine = std::move(first).build();
  TopologyBuilder second(machine);
  second.set_bandwidth(LinkId(3), BytesPerSecond(2e9), "b");
  const Topology again = std::move(second).build();
  CHECK(again.name() == "four");
  CHECK(again.capacity() == 6);
  CHECK(again.path_class(Place(2), Place(0)) == PathClass{PathKind::sys, 0});
  CHECK(again.distance(Place(0), Place(2)) == 10);
  CHECK(again.distance(Place(0), Place(1)) == 1);
  CHECK(*again.pair_matrix(Metric::latency) == *machine.pair_matrix(Metric::latency));
  CHECK(again.congestion().tau == 0.1);
  REQUIRE(again.warnings().size() == 1);
  CHECK(again.link(LinkId(3)).bandwidth.value() == 2e9);
  CHECK(again.link(LinkId(3)).source == "b");
  CHECK(again.link(LinkId(2)).bandwidth.value() == 1e9);
  CHECK(again.bandwidth(Place(0), Place(1)).value() == 1e9);
}

TEST_CASE("what does not exist is an error that names it, for every question about a pair") {
  for (const bool measured : {false, true}) {
    TopologyBuilder builder = two_sockets(false);
    if (measured) {
      for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth})
        builder.set_pair_matrix(metric, {.values = std::vector<double>(64, 1.0), .source = "hand"});
    }
    const Topology machine = std::move(builder).build();
    REQUIRE(machine.place_count() == 8);
    const std::string wrong = "place 99 does not exist, the last of 'two sockets' is 7";
    const auto refused = [&](const auto& question) {
      for (const auto& [a, b] :
           {std::pair(Place(0), Place(99)), std::pair(Place(99), Place(0)), std::pair(Place(99), Place(99))})
        CHECK_THROWS_WITH_AS(question(a, b), wrong.c_str(), Error);
    };
    refused([&](Place a, Place b) { (void)machine.level(a, b); });
    refused([&](Place a, Place b) { (void)machine.path_class(a, b); });
    refused([&](Place a, Place b) { (void)machine.distance(a, b); });
    refused([&](Place a, Place b) { (void)machine.bandwidth(a, b); });
    refused([&](Place a, Place b) { (void)machine.latency(a, b); });
    refused([&](Place a, Place b) { (void)machine.route(a, b); });
    for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth})
      refused([&](Place a, Place b) { (void)machine.pair_cost(metric, a, b); });
  }
}

TEST_CASE("hosts of a network whose switches nothing joins are infinitely far, though no two are nearer") {
  TopologyBuilder builder("islands");
  for (const char* name : {"0", "1", "2"}) {
    const VertexId leaf = builder.add_vertex({.kind = VertexKind::network_switch, .name = std::string("s") + name});
    const VertexId host = builder.add_vertex({.kind = VertexKind::compute_node, .name = std::string("n") + name});
    builder.add_links({.from = leaf, .to = host, .kind = LinkKind::network, .source = "test"});
    builder.add_place(PlaceKind::node, host);
  }
  const Topology islands = std::move(builder).build();
  CHECK(std::isinf(islands.distance(Place(0), Place(1))));
  CHECK(islands.distance(Place(2), Place(2)) == 0);
}
