// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/congestion/halo_orders.hpp>

#include <doctest/doctest.h>

#include <array>

#include <tests/paper_machines.hpp>
#include <topowise/base/error.hpp>

using namespace topowise;
using namespace topowise::testing;
using namespace topowise::benchmark;

namespace {

constexpr double kMessage = 300.0 * 1024 * 1024;

doctest::Approx about(double value) {
  return doctest::Approx(value).epsilon(5e-5);
}

}  // namespace

TEST_CASE("halos of SC'16, section VIII: the numbers of the specification") {
  const Topology machine = t2_machine();
  CongestionModel model(machine, CongestionModelName::pcie_sc16);
  const HaloTimes plane = halo_times(model, std::array{2, 4}, Bytes(kMessage));
  CHECK(plane.orders == 20736);
  CHECK(plane.proven);
  CHECK(plane.fastest / plane.alone == about(5.05));
  CHECK(*plane.median / plane.alone == about(7.5111));
  CHECK(*plane.slowest / plane.fastest == about(1.9271));  // paper: 1.9
  // There are 24 orders of directions, in six classes of four. The paper prints COSMO's order as "1.6", without further
  // digits.
  REQUIRE(plane.uniform.size() == 6);
  const double ratios[] = {1.297, 1.416, 1.552, 1.574, 1.724, 1.765};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(plane.uniform[i].count == 4);
    CHECK(plane.uniform[i].time / plane.fastest == doctest::Approx(ratios[i]).epsilon(1e-3));
  }
  CHECK(plane.curve.front().y == about(5.05));
  CHECK(plane.curve.back().y == about(9.7317));
  const HaloTimes cube = halo_times(model, std::array{2, 2, 2}, Bytes(kMessage));
  CHECK(cube.orders == 1679616);
  CHECK(cube.fastest / cube.alone == about(4.8958));
  CHECK(*cube.slowest / cube.fastest == about(2.5805));  // paper: 2.57
  CHECK(*cube.slowest / *cube.median == about(1.4304));  // paper: 1.44
  std::size_t uniform = 0;
  for (const UniformOrders& orders : cube.uniform) uniform += orders.count;
  CHECK(uniform == 720);
}

TEST_CASE("a grid of too many orders is searched") {
  MachineUnderTest machine("sixteen");
  const VertexId rc = machine.root(VertexKind::root_complex, "RC");
  for (int i = 0; i < 8; ++i) machine.board(rc);
  CongestionModel model(std::move(machine).build(), CongestionModelName::pcie_sc16);
  const HaloTimes found = halo_times(model, std::array{4, 4}, Bytes(1e6));
  CHECK(found.orders > 1e7);
  CHECK_FALSE(found.median);
  CHECK(found.curve.empty());
  for (const UniformOrders& orders : found.uniform) CHECK(orders.time >= found.fastest);
}

TEST_CASE("directions by name") {
  CHECK(parse_directions("N,S,E,W", 2) == std::vector{0, 1, 3, 2});
  CHECK(parse_directions("1+, 0-,0+,1-,2-,2+", 3) == std::vector{3, 0, 1, 2, 4, 5});
  for (const char* wrong : {"N,S,E", "N,S,E,E", "N,S,E,W,N", "", "N,S,E,X", "0-,0+,1-,1+"})
    CHECK_THROWS_AS((void)parse_directions(wrong, 2), Error);
}

TEST_CASE("phases: the ratio does not depend on the size without latency, and falls to 1 with it") {
  std::vector<HaloPhase> phases{{30, Bytes(254e3), {}, {}}, {60, Bytes(40e3), {}, {}}, {1, Bytes(1), {}, {}}};
  const auto directions = parse_directions("N,S,E,W", 2);
  CongestionModel paper(t2_machine(), CongestionModelName::pcie_sc16);
  predict_phases(paper, std::array{2, 4}, directions, phases);
  for (const HaloPhase& phase : phases) CHECK(phase.given / phase.best == doctest::Approx(1.552).epsilon(1e-3));
  CHECK(phases[0].best / phases[1].best == doctest::Approx(254.0 / 40));
  CongestionModel with_latency(t2_machine(microseconds(5)), CongestionModelName::automatic);
  predict_phases(with_latency, std::array{2, 4}, directions, phases);
  CHECK(phases[0].given / phases[0].best > phases[1].given / phases[1].best);
  CHECK(phases[1].given / phases[1].best > phases[2].given / phases[2].best);
  CHECK(phases[2].given / phases[2].best == doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("a machine with too few places") {
  CongestionModel model(t2_machine(), CongestionModelName::pcie_sc16);
  CHECK_THROWS_AS((void)halo_times(model, std::array{3, 3}, Bytes(1)), Error);
}
