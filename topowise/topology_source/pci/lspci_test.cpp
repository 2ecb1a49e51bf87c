// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tests/classes.hpp>
#include <tests/corpus.hpp>

#include <topowise/base/file.hpp>
#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

namespace {

/// Two host bridges. Below the first one are a switch with two GPUs and an adapter, and a GPU on a root port.
const std::string kTree =
    "-+-[0000:40]-+-00.0  Advanced Micro Devices, Inc. [AMD] Device 14a4\n"
    " |           +-01.1-[41-44]----00.0-[42-44]--+-00.0-[43]--+-00.0  NVIDIA Corporation GH100 [H100 PCIe]\n"
    " |           |                               |            \\-00.1  NVIDIA Corporation High Definition Audio "
    "Controller\n"
    " |           |                               +-01.0-[44]----00.0  NVIDIA Corporation GH100 [H100 PCIe]\n"
    " |           |                               \\-02.0-[45]----00.0  Mellanox Technologies MT2910 Family "
    "[ConnectX-7]\n"
    " |           \\-03.1-[48]----00.0  NVIDIA Corporation GH100 [H100 PCIe]\n"
    " \\-[0000:00]-+-00.0  Advanced Micro Devices, Inc. [AMD] Device 14a4\n"
    "             \\-01.1-[01]----00.0  NVIDIA Corporation GH100 [H100 PCIe]\n";
const std::string kRecords =
    "\nSlot:\t0000:01:00.0\nClass:\t3D controller\nVendor:\tNVIDIA Corporation\nDevice:\tGH100 [H100 "
    "PCIe]\nNUMANode:\t1\n"
    "\nSlot:\t43:00.0\nClass:\t3D controller\nVendor:\tNVIDIA Corporation\nDevice:\tGH100\nNUMANode:\t1\n"
    "\nSlot:\t44:00.0\nClass:\t3D controller\nVendor:\tNVIDIA Corporation\nDevice:\tGH100\nNUMANode:\t1\n"
    "\nSlot:\t45:00.0\nClass:\tEthernet controller\nVendor:\tMellanox Technologies\nDevice:\tMT2910\nNUMANode:\t1\n"
    "\nSlot:\t48:00.0\nClass:\t3D controller\nVendor:\tNVIDIA Corporation\nDevice:\tGH100\nNUMANode:\t1\n";

}  // namespace

TEST_CASE("the tree: switches, root ports and host bridges give the classes") {
  CHECK(test::classes(kLspciFormat, kTree) == "X SYS SYS SYS\nSYS X PIX PHB\nSYS PIX X PHB\nSYS PHB PHB X\n");
  const Topology machine = kLspciFormat.read("t", kTree);
  CHECK(machine.vertex_of(Place(0)).pci->to_string() == "0000:01:00.0");
  CHECK(machine.vertex_of(Place(3)).pci->to_string() == "0000:48:00.0");
  CHECK(std::ranges::count(machine.vertices(), VertexKind::nic, &Vertex::kind) == 1);
  REQUIRE(machine.warnings().size() == 2);
  CHECK(machine.warnings()[0].starts_with("t: NUMA domains are not known"));
  CHECK(machine.warnings()[1].starts_with("t does not show NVLink or xGMI"));
}

TEST_CASE("records of -vmm behind the tree give NUMA domains and classes") {
  CHECK(test::classes(kLspciFormat, kTree + kRecords) ==
        "X NODE NODE NODE\nNODE X PIX PHB\nNODE PIX X PHB\nNODE PHB PHB X\n");
  const Topology machine = kLspciFormat.read("t", kTree + kRecords);
  CHECK(machine.vertex_of(Place(1)).numa == 1);
  CHECK(machine.warnings().size() == 1);
}

TEST_CASE("GPUs of two vendors are counted each by its own") {
  const Topology machine =
      kLspciFormat.read("t",
                        "-[0000:00]-+-01.1-[01]----00.0  NVIDIA Corporation GA102 [GeForce RTX 3090]\n"
                        "           +-02.1-[02]----00.0  Advanced Micro Devices, Inc. [AMD/ATI] Aldebaran/MI200\n"
                        "           \\-03.1-[03]----00.0  NVIDIA Corporation GA102 [GeForce RTX 3090]\n");
  REQUIRE(machine.place_count() == 3);
  CHECK(machine.vertex_of(Place(0)).name == "NVIDIA GPU0");
  CHECK(machine.vertex_of(Place(1)).name == "AMD GPU0");
  CHECK(machine.vertex_of(Place(2)).name == "NVIDIA GPU1");
  CHECK(machine.warnings()[0].starts_with("t: GPUs of several vendors are in one node (AMD, NVIDIA)"));
}

TEST_CASE("graphics inside the processor is no place beside cards, with or without classes") {
  const std::string cards =
      "-[0000:00]-+-00.0  Host Bridge\n"
      "           +-01.1-[01]----00.0  NVIDIA Corporation GA102 [GeForce RTX 3090]\n"
      "           +-01.2-[02]----00.0  NVIDIA Corporation GA102 [GeForce RTX 3090]\n";
  const std::string amd =
      "           +-08.1-[04]--+-00.0  Advanced Micro Devices, Inc. [AMD/ATI] Raphael\n"
      "           |            \\-00.1  Advanced Micro Devices, Inc. [AMD/ATI] Radeon High Definition Audio "
      "Controller\n";
  const std::string intel = "           +-02.0  Intel Corporation AlderLake-S GT1 [UHD Graphics 770]\n";
  for (const std::string& graphics : {amd, intel}) {
    const Topology machine = kLspciFormat.read("t", cards + graphics);
    CHECK(machine.place_count() == 2);
    CHECK(machine.warnings()[0].find("is graphics inside the processor: it is no place beside other GPUs") !=
          std::string::npos);
    const Topology alone = kLspciFormat.read("t", "-[0000:00]-+-00.0  Host Bridge\n" + graphics);
    CHECK(alone.place_count() == 1);
    CHECK(alone.warnings()[0].find("no other GPU is described") != std::string::npos);
  }
}

TEST_CASE("damage is located, other text refused") {
  CHECK(test::warnings(kLspciFormat,
                       "-[0000:00]-+-01.0-[zz]----00.0  NVIDIA\n           \\-02.0  NVIDIA Corporation GH100\n")
            .find("t:1:19: this is no bus") != std::string::npos);
  CHECK(test::refusal(kLspciFormat, "-[0000:00]-+-01.0  Intel Corporation\n") ==
        "0:0 no GPU is named in this tree of PCI devices");
  CHECK_FALSE(kLspciFormat.recognises("-[x]\n"));
}

TEST_CASE("corpus: the tree of a machine with eight host bridges, and of a virtual one") {
  const std::optional<std::string> esc = test::corpus_file("lspci/esc8000a-4xrtx6000ada.lspci-tv.txt");
  REQUIRE(esc);
  const Topology machine = kLspciFormat.read("esc", read_file(*esc));
  CHECK(machine.place_count() == 4);
  CHECK(test::census(machine) == "SYS 6");
  CHECK(machine.vertex_of(Place(0)).pci->to_string() == "0000:01:00.0");
  const std::optional<std::string> vm = test::corpus_file("lspci/h200-8x-vm.lspci-tv.txt");
  REQUIRE(vm);
  const Topology guest = kLspciFormat.read("vm", read_file(*vm));
  CHECK(test::census(guest) == "PHB 28");
  CHECK(std::ranges::count(guest.vertices(), VertexKind::nic, &Vertex::kind) == 8);
}
