// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/live/nvml_gpus.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include <topowise/topology_source/merge/vendors.hpp>

using namespace topowise;

namespace {

/// Four GPUs, two on each of two sockets. 0-1 have two NVLinks of version 2; 0-2 have one of version 3 and one of
/// version 1.
nvml::Report report_of_four() {
  nvml::Report report;
  for (unsigned i = 0; i < 4; ++i) {
    nvml::Gpu gpu{
        .index = i, .bus_id = fmt::format("00000000:{:02X}:00.0", 0x10 + i), .uuid = fmt::format("GPU-{}", i)};
    gpu.numa = static_cast<int>(i / 2);
    gpu.cpus = i < 2 ? std::vector<std::size_t>{0, 1, 2, 3} : std::vector<std::size_t>{4, 5, 6, 7};
    gpu.pcie_generation = 4;
    gpu.pcie_lanes = 16;
    report.gpus.push_back(std::move(gpu));
  }
  report.ancestors.assign(16, nvml::Ancestor::system);
  for (const std::size_t pair : {1, 4, 11, 14}) report.ancestors[pair] = nvml::Ancestor::single_switch;
  report.peers.assign(16, nvml::PeerRead::possible);
  const auto link = [&](std::size_t a, std::size_t b, unsigned version) {
    report.gpus[a].links.push_back(
        {.version = version, .remote = nvml::Remote::gpu, .remote_bus_id = report.gpus[b].bus_id});
    report.gpus[b].links.push_back(
        {.version = version, .remote = nvml::Remote::gpu, .remote_bus_id = report.gpus[a].bus_id});
  };
  link(0, 1, 2);
  link(0, 1, 2);
  link(0, 2, 3);
  link(0, 2, 1);
  return report;
}

bool warns(const Topology& machine, std::string_view words) {
  return std::ranges::any_of(machine.warnings(),
                             [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("ancestors give the tree, links the bonds, both at once") {
  const Topology machine = topology_of(report_of_four());
  REQUIRE(machine.place_count() == 4);
  CHECK(to_string(machine.path_class(Place(0), Place(1))) == "NV2");
  CHECK(to_string(machine.path_class(Place(2), Place(3))) == "PIX");
  CHECK(to_string(machine.path_class(Place(1), Place(3))) == "SYS");
  CHECK(machine.bandwidth(Place(0), Place(1)).value() == 50e9);
  CHECK(machine.bandwidth(Place(0), Place(2)).value() == 45e9);
  CHECK(machine.bandwidth(Place(2), Place(3)).value() == doctest::Approx(16e9 * 16 * 128 / 130 / 8));
  // 0 and 1 are bonded, and are on one switch as well.
  CHECK(machine.vertex_of(Place(0)).parent == machine.vertex_of(Place(1)).parent);
  CHECK(machine.vertex_of(Place(3)).pci->to_string() == "0000:13:00.0");
  CHECK(machine.vertex_of(Place(3)).uuid == "GPU-3");
  CHECK(machine.vertex_of(Place(3)).cpus == "4-7");
  CHECK(machine.vertex_of(Place(3)).numa == 1);
  CHECK(machine.warnings().empty());
}

TEST_CASE("through switches a bond is as wide as the narrower GPU, and as fast as its links") {
  nvml::Report report = report_of_four();
  for (std::size_t i = 0; i < 4; ++i) {
    report.gpus[i].links.assign(i == 3 ? 6 : 18, {.version = 5, .remote = nvml::Remote::nvswitch});
  }
  const Topology machine = topology_of(report);
  CHECK(to_string(machine.path_class(Place(0), Place(2))) == "NV18");
  CHECK(machine.bandwidth(Place(0), Place(2)).value() == 900e9);
  CHECK(to_string(machine.path_class(Place(1), Place(3))) == "NV6");
}

TEST_CASE("one GPU alone is known to be NVIDIA's") {
  nvml::Report report;
  report.gpus = {{.index = 0, .bus_id = "00000000:04:00.0", .uuid = "GPU-four"}};
  report.ancestors = {nvml::Ancestor::system};
  report.peers = {nvml::PeerRead::possible};
  CHECK(vendor_of_machine(topology_of(report)) == GpuVendor::nvidia);
}

TEST_CASE("what NVML refuses becomes a warning, a partition a place's capacity") {
  nvml::Report report = report_of_four();
  report.problems.emplace_back("GPU 4 is left out: NVML says 'Insufficient Permissions'");
  report.peers[1] = nvml::PeerRead::refused;
  report.ancestors[7] = nvml::Ancestor::unknown;
  report.ancestors[11] = nvml::Ancestor::unknown;
  report.gpus[2].mig = true;
  report.gpus[2].mig_ids = {"MIG-a", "MIG-b", "MIG-c"};
  const Topology machine = topology_of(report);
  CHECK(warns(machine, "Insufficient Permissions"));
  CHECK(warns(machine, "4 of 6 pairs of GPUs cannot read"));          // a partition has no peer access
  CHECK(to_string(machine.path_class(Place(0), Place(1))) == "PHB");  // not NVLink, which they cannot use
  CHECK_FALSE(warns(machine, "GPU1 and GPU3 meet"));                  // their NUMA domains tell it
  CHECK(warns(machine, "NVML does not say where GPU2 and GPU3 meet; NODE is assumed"));
  REQUIRE(machine.assumptions().size() == 1);
  CHECK(machine.assumptions()[0] == "NODE between GPU2 and GPU3");
  CHECK(warns(machine, "GPU2 is partitioned (MIG, 3 instances)"));
  CHECK(machine.place(Place(2)).capacity == 3);
  CHECK(to_string(machine.path_class(Place(1), Place(3))) == "SYS");
}

TEST_CASE("a link of a version that is not known has its nominal rate, and says so") {
  nvml::Report report = report_of_four();
  for (nvml::Gpu& gpu : report.gpus) {
    for (nvml::NvLink& link : gpu.links) link.version = 9;
  }
  const Topology machine = topology_of(report);
  const std::vector<LinkId> route = machine.route(Place(0), Place(1));
  REQUIRE(route.size() == 1);
  CHECK(machine.link(route[0]).source == "nvml (nominal)");
}
