// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/route.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>
#include <topowise/graph/topology.hpp>

using namespace topowise;

namespace {

struct Machine {
  std::vector<Vertex> vertices;
  std::vector<Link> links;
  std::vector<VertexId> all;

  VertexId add(VertexKind kind, std::optional<VertexId> parent = {}) {
    vertices.push_back({.kind = kind, .parent = parent});
    all.emplace_back(vertices.size() - 1);
    return all.back();
  }
  void join(VertexId a, VertexId b, LinkKind kind, int width = 1) {
    links.push_back({.from = a, .to = b, .kind = kind, .width = width});
    links.push_back({.from = b, .to = a, .kind = kind, .width = width});
  }
};

Machine random_tree(std::uint64_t seed) {
  Random random(seed);
  Machine machine;
  machine.add(VertexKind::root_complex);
  const std::size_t size = 2 + random.below(30);
  for (std::size_t v = 1; v < size; ++v) {
    const VertexId parent = machine.all[random.below(static_cast<std::uint32_t>(v))];
    machine.join(machine.add(VertexKind::pcie_switch, parent), parent, LinkKind::pcie);
  }
  return machine;
}

}  // namespace

TEST_CASE("in a random tree the route by the common ancestor is the one that Dijkstra's algorithm finds") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Machine machine = random_tree(seed);
    const Routing by_ancestor(machine.vertices, machine.links, machine.all);
    REQUIRE(by_ancestor.is_tree());
    for (Vertex& vertex : machine.vertices) vertex.parent.reset();
    const Routing by_search(machine.vertices, machine.links, machine.all);
    REQUIRE_FALSE(by_search.is_tree());
    for (std::size_t a = 0; a < machine.all.size(); ++a) {
      for (std::size_t b = 0; b < machine.all.size(); ++b) CHECK(by_ancestor.route(a, b) == by_search.route(a, b));
    }
  }
}

TEST_CASE("a route is a chain of links from its source to its destination") {
  const Machine machine = random_tree(99);
  const Routing routing(machine.vertices, machine.links, machine.all);
  for (std::size_t a = 0; a < machine.all.size(); ++a) {
    for (std::size_t b = 0; b < machine.all.size(); ++b) {
      VertexId here = machine.all[a];
      for (const LinkId id : routing.route(a, b)) {
        CHECK(machine.links[id.index()].from == here);
        here = machine.links[id.index()].to;
      }
      CHECK(here == machine.all[b]);
    }
  }
}

TEST_CASE("xGMI passes through GPUs, NVLink does not, and a wide bond is preferred") {
  for (const LinkKind kind : {LinkKind::xgmi, LinkKind::nvlink}) {
    Machine machine;
    for (int g = 0; g < 4; ++g) machine.add(VertexKind::gpu);
    machine.join(machine.all[0], machine.all[1], kind, 1);
    machine.join(machine.all[1], machine.all[3], kind, 1);
    machine.join(machine.all[0], machine.all[2], kind, 4);
    machine.join(machine.all[2], machine.all[3], kind, 4);
    const Routing routing(machine.vertices, machine.links, machine.all);
    const std::vector<LinkId> route = routing.route(0, 3);
    if (kind == LinkKind::nvlink) {
      CHECK(route.empty());
    } else {
      REQUIRE(route.size() == 2);
      CHECK(machine.links[route[0].index()].to == machine.all[2]);
      CHECK(classify(machine.vertices, machine.links, route) == PathClass{PathKind::xgmi_relay, 2});
    }
  }
}

TEST_CASE("one PCIe switch loses to an NVSwitch and wins over the host") {
  Machine machine;
  const VertexId root = machine.add(VertexKind::root_complex);
  const VertexId pcie_switch = machine.add(VertexKind::pcie_switch);
  const VertexId nvswitch = machine.add(VertexKind::nvswitch);
  const VertexId a = machine.add(VertexKind::gpu);
  const VertexId b = machine.add(VertexKind::gpu);
  for (const VertexId gpu : {a, b}) {
    machine.join(gpu, pcie_switch, LinkKind::pcie);
    machine.join(gpu, root, LinkKind::pcie);
  }
  const auto between = [&] {
    return classify(machine.vertices, machine.links, Routing(machine.vertices, machine.links, {a, b}).route(0, 1));
  };
  CHECK(to_string(between()) == "PIX");
  for (const VertexId gpu : {a, b}) machine.join(gpu, nvswitch, LinkKind::nvlink, 18);
  CHECK(to_string(between()) == "NV18");
}

TEST_CASE("forwarding tables decide, where they say something") {
  // Two hosts, each on a switch of its own. Two other switches lie between these; the shortest route takes the first.
  TopologyBuilder builder("square");
  const auto add = [&](VertexKind kind, std::string name) {
    return builder.add_vertex({.kind = kind, .name = std::move(name)});
  };
  const VertexId a = add(VertexKind::compute_node, "a");
  const VertexId b = add(VertexKind::compute_node, "b");
  const VertexId near = add(VertexKind::network_switch, "near");
  const VertexId far = add(VertexKind::network_switch, "far");
  const VertexId one = add(VertexKind::network_switch, "one");
  const VertexId two = add(VertexKind::network_switch, "two");
  std::map<std::pair<VertexId, VertexId>, LinkId> link;
  for (const auto& [x, y] : {std::pair{a, near}, {b, far}, {near, one}, {near, two}, {one, far}, {two, far}}) {
    link[{x, y}] = builder.add_link({.from = x, .to = y, .kind = LinkKind::network});
    link[{y, x}] = builder.add_link({.from = y, .to = x, .kind = LinkKind::network});
  }
  const Place to_a = builder.add_place(PlaceKind::node, a);
  const Place to_b = builder.add_place(PlaceKind::node, b);
  builder.add_forwarding({near, to_b, link[{near, two}]});
  builder.add_forwarding({two, to_b, link[{two, far}]});
  builder.add_forwarding({far, to_b, link[{far, b}]});
  const Topology machine = std::move(builder).build();
  CHECK(machine.route(to_a, to_b) ==
        std::vector<LinkId>{link[{a, near}], link[{near, two}], link[{two, far}], link[{far, b}]});
  CHECK(machine.route(to_b, to_a) ==  // no table says anything about this route
        std::vector<LinkId>{link[{b, far}], link[{far, one}], link[{one, near}], link[{near, a}]});

  CHECK(TopologyBuilder(machine).build().route(to_a, to_b) == machine.route(to_a, to_b));

  TopologyBuilder circle(machine);
  circle.add_forwarding({one, to_a, link[{one, far}]});
  circle.add_forwarding({far, to_a, link[{far, one}]});
  CHECK_THROWS_WITH(static_cast<void>(std::move(circle).build()),
                    "the forwarding tables lead what is for 'a' in a circle at 'far'");
  TopologyBuilder nonsense(machine);
  nonsense.add_forwarding({one, to_a, link[{near, a}]});
  CHECK_THROWS_AS(static_cast<void>(std::move(nonsense).build()), Error);
}
