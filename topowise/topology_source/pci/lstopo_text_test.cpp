// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/pci/lstopo_text.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

namespace {

constexpr std::string_view kText =
    "Machine (503GB total)\n"
    "  Package L#0\n"
    "    NUMANode L#0 (P#0 251GB)\n"
    "    L3 L#0 (32MB)\n"
    "      Core L#0 + PU L#0 (P#0)\n"
    "    HostBridge\n"
    "      PCIBridge\n"
    "        PCIBridge\n"
    "          PCIBridge\n"
    "            PCI 18:00.0 (3D)\n"
    "              CoProc(CUDA) \"cuda0\"\n"
    "          PCIBridge\n"
    "            PCI 19:00.0 (InfiniBand)\n"
    "              Net \"ib0\"\n"
    "              OpenFabrics \"mlx5_0\"\n"
    "      PCIBridge\n"
    "        PCI 02:00.0 (VGA)\n"
    "    HostBridge\n"
    "      PCIBridge\n"
    "        PCI 3a:00.0 (3D)\n"
    "  Package L#1\n"
    "    NUMANode L#1 (P#1 252GB)\n"
    "    HostBridge\n"
    "      PCIBridge\n"
    "        PCI 0000:9a:00.0 (3D)\n"
    "          GPU(NVML) \"nvml2\"\n";

}  // namespace

TEST_CASE("host bridges, bridges and NUMA domains give the classes; a management controller is no GPU") {
  CHECK(test::classes(kLstopoTextFormat, kText) == "X NODE SYS\nNODE X SYS\nSYS SYS X\n");
  const Topology machine = kLstopoTextFormat.read("t", kText);
  CHECK(machine.vertex_of(Place(2)).numa == 1);
  CHECK(machine.vertex_of(Place(0)).pci->to_string() == "0000:18:00.0");
  const auto nic = std::ranges::find(machine.vertices(), VertexKind::nic, &Vertex::kind);
  REQUIRE(nic != machine.vertices().end());
  CHECK(nic->name == "mlx5_0");
  REQUIRE(machine.warnings().size() == 1);
  CHECK(machine.warnings()[0].starts_with("t does not show NVLink or xGMI"));
}

TEST_CASE("a text without GPUs, or of hwloc 1") {
  CHECK(test::refusal(kLstopoTextFormat, "Machine (1GB)\n  Package L#0\n") ==
        "0:0 no GPU is named in this text of lstopo");
  CHECK(test::refusal(kLstopoTextFormat, "Machine (1GB)\n  HostBridge L#0\n    PCI 10de:15f8\n") ==
        "3:5 no bus id: hwloc 1 prints none as text");
  CHECK_FALSE(kLstopoTextFormat.recognises("Package L#0\n"));
}
