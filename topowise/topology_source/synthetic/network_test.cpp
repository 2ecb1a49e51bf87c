// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/synthetic/network.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/make_network.hpp>

using namespace topowise;

namespace {

Topology network(std::string_view argument) {
  REQUIRE(is_synthetic_network(argument));
  return read_synthetic_network(argument);
}

std::string message(std::string_view argument) {
  try {
    (void)read_synthetic_network(argument);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front().what;
  }
  return "no error";
}

/// The number of places at each distance from place 0.
std::map<double, int> around(const Topology& machine) {
  std::map<double, int> count;
  for (std::size_t p = 1; p < machine.place_count(); ++p) ++count[machine.distance(Place(0), Place(p))];
  return count;
}

}  // namespace

TEST_CASE("in a torus and a mesh the distance is the number of hops along the axes") {
  const int sizes[] = {4, 5, 3};
  for (const bool closed : {true, false}) {
    const Topology machine = network(closed ? "torus:4x5x3" : "mesh:4x5x3");
    REQUIRE(machine.place_count() == 60);
    for (int a = 0; a < 60; ++a) {
      for (int b = 0; b < 60; ++b) {
        int hops = 0;
        int stride = 60;
        for (const int size : sizes) {
          stride /= size;
          const int step = std::abs(a / stride % size - b / stride % size);
          hops += closed ? std::min(step, size - step) : step;
        }
        const Place from(static_cast<std::size_t>(a));
        const Place to(static_cast<std::size_t>(b));
        REQUIRE(machine.distance(from, to) == hops);
        REQUIRE(machine.route(from, to).size() == static_cast<std::size_t>(hops));
      }
    }
  }
}

TEST_CASE("short axes have no double links") {
  CHECK(network("torus:2x2").links().size() == 8);
  CHECK(network("torus:1x3").links().size() == 6);
  CHECK(network("torus:1").place_count() == 1);
}

namespace {

NetworkShape random_shape(Random& random) {
  if (random.below(2) == 0) {
    GridShape grid{.sizes = {}, .closed = random.below(2) == 0};
    for (std::uint32_t axes = 1 + random.below(4); axes > 0; --axes) grid.sizes.push_back(1 + random.below(6));
    return grid;
  }
  DragonflyShape fly{.places = 1 + random.below(3), .routers = 1 + random.below(5), .groups = 1 + random.below(9)};
  fly.links = 1 + random.below(fly.routers);
  return fly;
}

/// The same machine without the statement of what it is.
Topology without_shape(const Topology& machine) {
  TopologyBuilder builder(machine.name());
  for (const Vertex& vertex : machine.vertices()) builder.add_vertex(vertex);
  for (const Link& link : machine.links()) builder.add_link(link);
  for (const PlaceEntry& place : machine.places()) builder.add_place(place.kind, place.vertex);
  return std::move(builder).build();
}

/// Hops of the shortest way between two places that crosses at most one wire between groups, by breadth-first search.
int hops_with_one_crossing(const Topology& machine, const DragonflyShape& fly, Place a, Place b) {
  const auto group_of = [&](VertexId vertex) {
    const std::size_t places = machine.place_count();
    const std::size_t router = vertex.index() < places ? vertex.index() / fly.places : vertex.index() - places;
    return router / fly.routers;
  };
  std::vector<std::pair<VertexId, int>> states{{machine.place(a).vertex, 0}};
  std::map<std::pair<VertexId, int>, int> hops{{states.front(), 0}};
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto [at, crossed] = states[i];
    if (at == machine.place(b).vertex) return hops[states[i]];
    for (const LinkId link : machine.links_from(at)) {
      const VertexId to = machine.link(link).to;
      const std::pair<VertexId, int> next{to, crossed + (group_of(at) == group_of(to) ? 0 : 1)};
      if (next.second <= 1 && hops.emplace(next, hops[states[i]] + 1).second) states.push_back(next);
    }
  }
  return -1;
}

void check_route(const Topology& machine, Place a, Place b, std::size_t hops) {
  VertexId at = machine.place(a).vertex;
  const std::vector<LinkId> route = machine.route(a, b);
  for (const LinkId link : route) {
    REQUIRE(machine.link(link).from == at);
    at = machine.link(link).to;
  }
  REQUIRE(at == machine.place(b).vertex);
  REQUIRE(route.size() == hops);
}

}  // namespace

TEST_CASE("distances and routes from coordinates are those of a search for shortest ways") {
  Random random(7);
  for (int i = 0; i < 25; ++i) {
    const NetworkShape shape = random_shape(random);
    const Topology machine = make_network("network", shape, {gigabytes_per_second(1), gigabytes_per_second(2)}, "test");
    REQUIRE(machine.network() != nullptr);
    const auto* fly = std::get_if<DragonflyShape>(&shape);
    const Topology searched = without_shape(machine);
    REQUIRE(searched.network() == nullptr);
    if (fly == nullptr) CHECK(std::ranges::equal(machine.levels(), searched.levels()));
    for (std::size_t p = 0; p < machine.place_count(); ++p) {
      for (std::size_t q = 0; q < machine.place_count(); q += 1 + random.below(12)) {
        const Place a(p);
        const Place b(q);
        const auto hops = static_cast<std::size_t>(machine.path_class(a, b).grade);
        if (fly != nullptr) {
          REQUIRE(static_cast<int>(hops) == hops_with_one_crossing(machine, *fly, a, b));
        } else {
          REQUIRE(machine.distance(a, b) == searched.distance(a, b));
          REQUIRE(hops == searched.route(a, b).size());
        }
        check_route(machine, a, b, hops);
        REQUIRE(machine.distance(a, b) ==
                machine.level_distances()[static_cast<std::size_t>(std::max(0, machine.level(a, b)))] *
                    (p == q ? 0 : 1));
      }
    }
  }
}

TEST_CASE("a network stays one when it is written and read, unless something else is stated") {
  for (const char* argument : {"torus:3x4x2", "mesh:5", "dragonfly:2:3:groups=4:links=2"}) {
    const Topology machine = network(argument);
    const Topology again = topology_from_json("copy", to_json(machine));
    REQUIRE(again.network() != nullptr);
    CHECK(*again.network() == *machine.network());
    CHECK(again.distance(Place(0), Place(4)) == machine.distance(Place(0), Place(4)));
    TopologyBuilder builder(machine);
    builder.set_class(Place(0), Place(1), {PathKind::tree, 9});
    const Topology stated = std::move(builder).build();
    CHECK(stated.network() == nullptr);
    CHECK(stated.path_class(Place(0), Place(1)).grade == 9);
  }
}

TEST_CASE("a torus of six axes with 158976 places has the distances of its coordinates") {
  const Topology machine = network("torus:24x23x24x2x3x2");
  CHECK(machine.place_count() == 158976);
  CHECK(machine.levels().size() == 12 + 11 + 12 + 1 + 1 + 1);
  CHECK(machine.distance(Place(0), Place(158975)) == 6);  // all axes are rings: one step back along each
  CHECK(machine.route(Place(0), Place(158975)).size() == 6);
}

TEST_CASE("in a dragonfly any two groups are one global link apart") {
  const Topology machine = network("dragonfly:2:4:2@12.5GB/s");
  CHECK(machine.place_count() == 2 * 4 * 9);
  CHECK(machine.links().size() == 2 * (72 + 9 * 6 + 9 * 8 / 2));
  CHECK(machine.levels().size() == 4);
  // One place is on the same router, six are on the other routers of the group. Two are on the router at the far end of
  // each of the two global links. Twelve need one local hop at the near end, twelve one at the far end; all others need
  // one at both.
  CHECK(around(machine) == std::map<double, int>{{1, 1}, {2, 6 + 4}, {3, 12 + 12}, {4, 36}});
  CHECK(machine.bandwidth(Place(0), Place(71)) == gigabytes_per_second(12.5));
}

TEST_CASE("what is no network is left to others, what is malformed is said") {
  CHECK_FALSE(is_synthetic_network("tree:2:2"));
  CHECK_FALSE(is_synthetic_network("torus.txt"));
  CHECK(message("torus:") == "'' is not a size");
  CHECK(message("torus:4x0") == "'0' is not a size");
  CHECK(message("mesh:4xy") == "'y' is not a size");
  CHECK(message("torus:4x4@fast") == "'fast' is not the bandwidth of a link");
  const std::string too_large = message("torus:100000x100000");
  CHECK(too_large.starts_with("the network is too large: 10000000000 places and 40000000000 links would take "));
  CHECK(too_large.ends_with(" TB of memory; at most 1048576 places and 4 GB are supported"));
  CHECK(message("torus:1x1x1x1x1x1x1x1x1") == "9 axes are too many, at most 8 are supported");
  CHECK(message("dragonfly:2:4").starts_with("there are 2 numbers"));
  CHECK(message("dragonfly:90:90:90").starts_with("the network is too large"));
  CHECK(message("dragonfly:1:1:9000000").starts_with("the network is too large"));
  CHECK(message("dragonfly:4:32:groups=0") == "'0' is not a size");
  CHECK(message("dragonfly:4:32:racks=2") == "unknown option 'racks'");
  CHECK(message("dragonfly:4:32:group=2") == "unknown option 'group', did you mean 'groups'?");
  CHECK(message("dragonfly:4:32:links=2").starts_with("there are 2 numbers"));
  CHECK(message("dragonfly:4:2:groups=3:links=3") ==
        "3 links between two groups need as many routers in a group, and there are 2");
}
