// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <topowise/collective/gpu/islands.hpp>

using namespace topowise;
using namespace topowise::collective;

namespace {

using nvml::Ancestor;

/// GPUs at buses 1, 2, ..., two of them below each switch.
nvml::Report pairs_below_switches(std::size_t gpus) {
  nvml::Report report;
  for (std::size_t i = 0; i < gpus; ++i) {
    nvml::Gpu& gpu = report.gpus.emplace_back();
    gpu.bus_id = "00000000:0" + std::to_string(i + 1) + ":00.0";
  }
  for (std::size_t a = 0; a < gpus; ++a)
    for (std::size_t b = 0; b < gpus; ++b)
      report.ancestors.push_back(a / 2 == b / 2 ? Ancestor::single_switch : Ancestor::system);
  return report;
}

std::vector<std::string> bus_ids(std::initializer_list<int> buses) {
  std::vector<std::string> ids;
  for (const int bus : buses) ids.push_back("0000:0" + std::to_string(bus) + ":00.0");
  return ids;
}

}  // namespace

TEST_CASE("GPUs below the same switches are an island, in whatever order ranks have them") {
  const nvml::Report report = pairs_below_switches(6);
  CHECK(islands_in(report, bus_ids({1, 2, 3, 4})).island == std::vector<int>{0, 0, 1, 1});
  CHECK(islands_in(report, bus_ids({5, 1, 6, 2, 3})).island == std::vector<int>{0, 1, 0, 1, 2});
  CHECK_FALSE(islands_in(report, bus_ids({1, 2})).bonded);
  CHECK(islands_in(report, bus_ids({1, 9, 2})).island == std::vector<int>{0, 1, 0});  // NVML hides the GPU at bus 9
}

TEST_CASE("NVLinks join what switches do not, from GPU to GPU and through NVSwitches") {
  nvml::Report report = pairs_below_switches(4);
  const auto link = [&](std::size_t gpu, const char* bus_id) {
    nvml::NvLink& added = report.gpus[gpu].links.emplace_back();
    added.remote = nvml::Remote::gpu;
    added.remote_bus_id = bus_id;
  };
  link(1, "00000000:03:00.0");
  link(2, "00000000:02:00.0");
  CHECK(islands_in(report, bus_ids({1, 2, 3, 4})).island == std::vector<int>{0, 0, 0, 0});
  CHECK_FALSE(islands_in(report, bus_ids({1, 2, 3, 4})).bonded);
  CHECK(islands_in(report, bus_ids({2, 3})).bonded);
  for (nvml::Gpu& gpu : report.gpus) gpu.links.emplace_back().remote = nvml::Remote::nvswitch;
  CHECK(islands_in(report, bus_ids({1, 2, 3, 4})).bonded);
}

TEST_CASE("without NVML, the driver's wires join GPUs, and else their NUMA nodes do") {
  const std::vector<int> numa{0, 0, 1, 1};
  const auto none = [](std::size_t, std::size_t) { return false; };
  CHECK(islands_by_wires(numa, none).island == std::vector<int>{0, 0, 1, 1});
  CHECK_FALSE(islands_by_wires(numa, none).bonded);
  const auto a_line = [](std::size_t a, std::size_t b) { return a - b == 1; };
  CHECK(islands_by_wires(numa, a_line).island == std::vector<int>{0, 0, 0, 0});
  CHECK_FALSE(islands_by_wires(numa, a_line).bonded);
  CHECK(islands_by_wires(numa, [](std::size_t, std::size_t) { return true; }).bonded);
}
