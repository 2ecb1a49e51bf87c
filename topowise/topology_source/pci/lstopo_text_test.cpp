// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

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
  REQUIRE(machine.warnings().size() == 2);
  CHECK(machine.warnings()[0].starts_with("t: 0000:02:00.0 (VGA) is a graphics card or the display of a management"));
  CHECK(machine.warnings()[1].starts_with("t does not show NVLink or xGMI"));
}

TEST_CASE("a server whose only display is that of its management controller has cores") {
  const Topology machine = kLstopoTextFormat.read("t",
                                                  "Machine (62GB total)\n"
                                                  "  Package L#0\n"
                                                  "    NUMANode L#0 (P#0 31GB)\n"
                                                  "    L3 L#0 (16MB)\n"
                                                  "      L2 L#0 (512KB) + L1d L#0 (32KB) + Core L#0\n"
                                                  "        PU L#0 (P#0)\n"
                                                  "        PU L#1 (P#4)\n"
                                                  "      L2 L#1 (512KB) + L1d L#1 (32KB) + Core L#1 + PU L#2 (P#1)\n"
                                                  "    L3 L#1 (16MB) + L2 L#2 (512KB) + Core L#2 + PU L#3 (P#2)\n"
                                                  "    HostBridge\n"
                                                  "      PCIBridge\n"
                                                  "        PCIBridge\n"
                                                  "          PCI 05:00.0 (VGA)\n"
                                                  "  Package L#1\n"
                                                  "    NUMANode L#1 (P#1 31GB)\n"
                                                  "    L3 L#2 (16MB) + L2 L#3 (512KB) + Core L#3 + PU L#4 (P#3)\n");
  REQUIRE(machine.place_count() == 4);
  CHECK(machine.place(Place(0)).kind == PlaceKind::core);
  CHECK(machine.vertex_of(Place(0)).cpus == "0,4");
  CHECK(machine.vertex_of(Place(2)).numa == 0);
  CHECK(machine.vertex_of(Place(3)).numa == 1);
  CHECK(machine.level(Place(0), Place(1)) < machine.level(Place(0), Place(2)));
  CHECK(machine.level(Place(0), Place(2)) < machine.level(Place(0), Place(3)));
  REQUIRE(machine.warnings().size() == 1);
  CHECK(machine.warnings()[0].find("0000:05:00.0 (VGA)") != std::string::npos);
}

TEST_CASE("hwloc 1: NUMA domains are above packages, cores may be missing") {
  const Topology machine = kLstopoTextFormat.read("t",
                                                  "Machine (62GB)\n"
                                                  "  NUMANode L#0 (P#0 31GB) + Socket L#0 + L3 L#0 (16MB)\n"
                                                  "    PU L#0 (P#0)\n"
                                                  "    PU L#1 (P#1)\n"
                                                  "  NUMANode L#1 (P#1 31GB) + Socket L#1 + PU L#2 (P#2)\n");
  REQUIRE(machine.place_count() == 3);
  CHECK(machine.vertex_of(Place(1)).numa == 0);
  CHECK(machine.vertex_of(Place(2)).numa == 1);
  CHECK(machine.levels().size() == 2);
}

TEST_CASE("the software's numbers are those of the GPUs, whichever library gives them") {
  for (const std::string name : {"GPU(RSMI) \"rsmi", "GPU(NVML) \"nvml", "CoProc(CUDA) \"cuda",
                                 "CoProc(OpenCL) \"opencl0d", "CoProc(LevelZero) \"ze"}) {
    CAPTURE(name);
    const std::string text =
        "Machine (62GB total)\n  Package L#0\n    HostBridge\n      PCIBridge\n        PCI 41:00.0 (VGA)\n"
        "          " +
        name + "1\"\n      PCIBridge\n        PCI 61:00.0 (Display)\n          " + name + "0\"\n";
    const Topology machine = kLstopoTextFormat.read("t", text);
    REQUIRE(machine.place_count() == 2);
    CHECK(machine.vertex_of(Place(0)).pci->to_string() == "0000:61:00.0");
    CHECK(machine.vertex_of(Place(0)).name == "GPU0");
    // Programs are told to count in the order of the bus ids, which CUDA's and Level Zero's own numbers need not have.
    const bool manages = name.find("SMI") != std::string::npos || name.find("NVML") != std::string::npos;
    CHECK(machine.vertex_of(Place(0)).number == (manages ? 0 : -1));
  }
}

TEST_CASE("numbers with gaps stay as they are") {
  const auto text = [](const std::string& name, const std::string& second) {
    return "Machine (62GB total)\n  Package L#0\n    HostBridge\n      PCIBridge\n        PCI 41:00.0 (VGA)\n"
           "          " +
           name + "0\"\n      PCIBridge\n        PCI 61:00.0 (Display)\n          " + name + second +
           "\"\n      PCIBridge\n        PCI 81:00.0 (Display)\n          " + name + "3\"\n";
  };
  for (const std::string name : {"GPU(RSMI) \"rsmi", "GPU(NVML) \"nvml", "CoProc(CUDA) \"cuda"}) {
    CAPTURE(name);
    const Topology machine = kLstopoTextFormat.read("t", text(name, "2"));
    REQUIRE(machine.place_count() == 3);
    CHECK(machine.vertex_of(Place(1)).name == "GPU2");
    CHECK(machine.vertex_of(Place(1)).number == 2);
    CHECK(machine.vertex_of(Place(2)).name == "GPU3");
  }
}

TEST_CASE("graphics inside the processor that only OpenCL lists leaves the cores their places") {
  const std::string before =
      "Machine (16GB total)\n  Package L#0\n    Core L#0 + PU L#0 (P#0)\n    HostBridge\n"
      "      PCI 00:02.0 (VGA)\n        ";
  const Topology cores = kLstopoTextFormat.read("t", before + "CoProc(OpenCL) \"opencl0d0\"\n");
  CHECK(cores.place(Place(0)).kind == PlaceKind::core);
  const Topology gpu = kLstopoTextFormat.read("t", before + "CoProc(LevelZero) \"ze0\"\n");
  CHECK(gpu.place(Place(0)).kind == PlaceKind::gpu);
}

TEST_CASE("lstopo -v: ids decide, and the machine has a name") {
  const std::string text =
      "Machine L#0 (P#0 total=64GB HostName=n07 Architecture=x86_64)\n"
      "  Package L#0 (P#0 total=64GB)\n"
      "    NUMANode L#0 (P#0 local=64GB)\n"
      "    Core L#0 (P#0)\n"
      "      PU L#0 (P#0)\n"
      "    HostBridge L#0 (buses=0000:[00-05])\n"
      "      PCI L#0 (busid=0000:00:02.0 id=8086:3e96 class=0300(VGA))\n"
      "      PCI L#1 (busid=0000:05:00.0 id=1002:515e class=0300(VGA))\n";
  const Topology cores = kLstopoTextFormat.read("t", text);
  CHECK(cores.place(Place(0)).kind == PlaceKind::core);
  CHECK(node_name(cores, cores.place(Place(0)).vertex) == "n07");
  REQUIRE(cores.warnings().size() == 1);
  CHECK(cores.warnings()[0] ==
        "t: 0000:00:02.0 (VGA) is graphics inside the processor: it is no place where neither CUDA, ROCm nor Level "
        "Zero lists it");
  const Topology gpu = kLstopoTextFormat.read(
      "t", text + "      PCI L#2 (busid=0000:01:00.0 id=10de:2204 class=0300(VGA) link=15.75GB/s)\n");
  CHECK(gpu.vertex_of(Place(0)).pci->to_string() == "0000:01:00.0");
  CHECK(node_name(gpu, gpu.place(Place(0)).vertex) == "n07");
}

TEST_CASE("a text without GPUs, or of hwloc 1") {
  CHECK(test::refusal(kLstopoTextFormat, "Machine (1GB)\n  Package L#0\n") ==
        "0:0 no GPU is named in this text of lstopo");
  CHECK(test::refusal(kLstopoTextFormat, "Machine (1GB)\n  HostBridge L#0\n    PCI 10de:15f8\n") ==
        "3:5 no bus id: hwloc 1 prints none as text");
  CHECK_FALSE(kLstopoTextFormat.recognises("Package L#0\n"));
}
