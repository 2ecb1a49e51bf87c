// SPDX-License-Identifier: BSD-3-Clause
// A simulated whole node: the probe must measure the values that the node was given.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include <topowise/device/table.hpp>
#include <topowise/probe/calibrate.hpp>
#include <topowise/probe/figure.hpp>
#include <topowise/probe/gpu_memory.hpp>
#include <topowise/probe/measure.hpp>
#include <topowise/probe/measured_topology.hpp>
#include <topowise/topology_source/source.hpp>

using namespace topowise;

namespace {

/// Copies take that many times longer than in the model: long in comparison with the pauses of a busy machine.
constexpr double kScale = 40;
constexpr double kTau = 21.0 / 121.0;  // the model's own, of the machine that is simulated

void act_out(const char* node) {
  ::setenv("TOPOWISE_CUDA_LIBRARY", TOPOWISE_FAKE_CUDA, 1);
  ::setenv("TOPOWISE_NVML_LIBRARY", TOPOWISE_FAKE_NVML, 1);
  ::setenv("TOPOWISE_FAKE_NODE", node, 1);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  ::setenv("TOPOWISE_FAKE_SESSION", fmt::format("probe-{}", ::getpid()).c_str(), 1);
  ::setenv("TOPOWISE_FAKE_PACE", "1", 1);
  ::setenv("TOPOWISE_FAKE_PACE_SCALE", fmt::format("{}", kScale).c_str(), 1);
}

/// The rate of a single message: that of the narrowest link of the preset, less tau behind the root complex.
double expected(const Topology& node, Place a, Place b) {
  const double link = node.bandwidth(a, b).value();
  return node.path_class(a, b).kind == PathKind::phb ? link * (1 - kTau) : link;
}

}  // namespace

TEST_CASE("the probe finds the classes, the bandwidths within 5 %, and the parameters of the model" *
          doctest::test_suite("clock")) {
  act_out("preset:helios-k80");
  const Topology node = read_topology("preset:helios-k80");
  const Topology machine = read_topology("live");
  REQUIRE(machine.place_count() == 16);
  probe::GpuMemory memory(device::open_driver(), machine);
  CHECK(memory.description() == "SIMULATED GPU memory by cuda");
  probe::Plan plan;
  plan.sizes = {1024, 1 << 20, 4 << 20};  // the smallest is too small to count for the metrics
  plan.repetitions = 5;
  plan.warm_up = 1;
  for (const auto& [a, b] : {std::pair{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 4}, {2, 6}, {0, 8}, {3, 12}})
    plan.pairs.emplace_back(Place(static_cast<std::size_t>(a)), Place(static_cast<std::size_t>(b)));
  const probe::Samples samples = probe::measure(machine, memory, plan, [](std::size_t) {});
  const Topology measured = probe::with_measurements(machine, samples, {"measured:probe", "now"});
  for (const auto& [a, b] : plan.pairs) {
    CAPTURE(to_string(node.path_class(a, b)));
    CAPTURE(b.index());
    CHECK(measured.path_class(a, b) == node.path_class(a, b));
    CHECK(measured.bandwidth(a, b).value() * kScale == doctest::Approx(expected(node, a, b)).epsilon(0.05));
    CHECK(measured.bandwidth(b, a).value() * kScale == doctest::Approx(expected(node, a, b)).epsilon(0.05));
  }
  // The wires are wide within a socket and narrow between the sockets. On a busy machine two messages never start at
  // exactly the same time: the metrics of the near levels are only approximately equal.
  CHECK(measured.pair_cost(Metric::bandwidth, Place(0), Place(1)) < 1.4);
  CHECK(measured.pair_cost(Metric::bandwidth, Place(0), Place(9)) > 1.5);
  const probe::Calibration found = probe::calibrate(machine, samples, memory, 5);
  REQUIRE(found.parameters.link_bandwidth);
  REQUIRE(found.parameters.tau);
  CHECK(found.parameters.link_bandwidth->value() * kScale == doctest::Approx(15.754e9).epsilon(0.05));
  CHECK(*found.parameters.tau == doctest::Approx(kTau).epsilon(0.15));
  const Topology calibrated = probe::with_measurements(machine, samples, {"measured:probe", "now"}, found);
  CHECK(calibrated.congestion().tau == found.parameters.tau);
  for (const LinkId id : calibrated.route(Place(0), Place(8))) {
    const Link& link = calibrated.link(id);
    if (link.kind != LinkKind::inter_socket) continue;
    CHECK(link.bandwidth.value() * kScale == doctest::Approx(6e9).epsilon(0.05));
    CHECK(link.source == "measured:probe");
  }
}
