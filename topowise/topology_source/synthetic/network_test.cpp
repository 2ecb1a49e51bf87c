// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/synthetic/network.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>

#include <topowise/base/error.hpp>

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
  CHECK(message("torus:100000x100000") == "the network is too large, at most 4096 places are supported");
  CHECK(message("torus:1x1x1x1x1x1x1x1x1") == "9 axes are too many, at most 8 are supported");
  CHECK(message("dragonfly:2:4").starts_with("there are 2 numbers"));
  CHECK(message("dragonfly:90:90:90").starts_with("the network is too large"));
}
