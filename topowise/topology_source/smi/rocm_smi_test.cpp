// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

namespace {

std::string table(std::string_view title, std::string_view rows) {
  return "====== " + std::string(title) + " ======\n       GPU0   GPU1   GPU2\n" + std::string(rows) + "\n";
}
const std::string kTypes =
    table("Link Type between two GPUs", "GPU0 0 XGMI XGMI\nGPU1 XGMI 0 PCIE\nGPU2 XGMI PCIE 0\n");
const std::string kHops = table("Hops between two GPUs", "GPU0 0 1 1\nGPU1 1 0 3\nGPU2 1 3 0\n");
const std::string kWeights = table("Weight between two GPUs", "GPU0 0 15 30\nGPU1 15 0 72\nGPU2 30 72 0\n");

}  // namespace

TEST_CASE("types, hops and weights give the class together") {
  CHECK(test::classes(kRocmSmiFormat, kTypes + kHops) == "X XGMI1 XGMI1\nXGMI1 X SYS\nXGMI1 SYS X\n");
  // Twice the weight of a direct link means: through another GPU.
  CHECK(test::classes(kRocmSmiFormat, kTypes + kHops + kWeights) == "X XGMI1 XGMIH2\nXGMI1 X SYS\nXGMIH2 SYS X\n");
  CHECK(test::warnings(kRocmSmiFormat, kTypes + kHops + kWeights).empty());
}

TEST_CASE("PCIe below one NUMA domain is NODE") {
  CHECK(test::classes(kRocmSmiFormat, table("Link Type between two GPUs", "GPU0 0 PCIE\nGPU1 PCIE 0\n") +
                                          table("Hops between two GPUs", "GPU0 0 2 2\nGPU1 2 0 2\nGPU2 2 2 0\n")) ==
        "X NODE NODE\nNODE X NODE\nNODE NODE X\n");
}

TEST_CASE("NUMA domains in both spellings") {
  const Topology machine = kRocmSmiFormat.read(
      "t", kTypes + kHops + "GPU[0]\t\t: (Topology) Numa Node: 3\nGPU 1          : (Topology) Numa Affinity: 1\n");
  CHECK(machine.vertex_of(Place(0)).numa == 3);
  CHECK(machine.vertex_of(Place(1)).numa == 1);
  CHECK(machine.vertex_of(Place(2)).numa == -1);
}

TEST_CASE("two NUMA numbers that differ are not used") {
  const std::string text = kTypes + kHops + "GPU[0] : (Topology) Numa Node: 0\nGPU[0] : (Topology) Numa Affinity: 2\n";
  CHECK(kRocmSmiFormat.read("t", text).vertex_of(Place(0)).numa == -1);
  CHECK(test::warnings(kRocmSmiFormat, text) ==
        "t: Numa Node and Numa Affinity differ for GPU0; they will not be bound by either\n");
}

TEST_CASE("damage is located") {
  const std::string broken = table("Weight between two GPUs", "GPU0 0 XGMI XXXX\nGPU1 XGMI 0\nGPU2 XXXX XGMI 0\n");
  CHECK(test::classes(kRocmSmiFormat, broken) == "X XGMI1 SYS\nXGMI1 X XGMI1\nSYS XGMI1 X\n");
  const std::string said = test::warnings(kRocmSmiFormat, "ERROR: GPU[1]: no\n" + broken);
  CHECK(said.find("t:1: the tool says 'ERROR: GPU[1]: no'") != std::string::npos);
  CHECK(said.find("t:5:1: row 'GPU1' has 2 cells, the header has 3") != std::string::npos);
  CHECK(said.find("t:4:13: 'XXXX' for GPU0 and GPU2") != std::string::npos);
  CHECK(said.find("holds link types") != std::string::npos);
  CHECK(said.find("t: 1 pair without a link type (GPU0-GPU2): SYS is assumed") != std::string::npos);
}

TEST_CASE("NUMA domains say where a pair without a link type meets") {
  const std::string broken =
      table("Link Type between two GPUs", "GPU0 0 PCIE XXXX\nGPU1 PCIE 0 XXXX\nGPU2 XXXX XXXX 0\n");
  const std::string numa =
      "GPU[0] : (Topology) Numa Node: 0\nGPU[1] : (Topology) Numa Node: 1\nGPU[2] : (Topology) Numa Node: 0\n";
  const Topology machine = kRocmSmiFormat.read("t", broken + numa);
  CHECK(test::path(machine, 0, 2) == "NODE");
  CHECK(test::path(machine, 1, 2) == "SYS");
  REQUIRE(machine.assumptions().size() == 1);
  CHECK(machine.assumptions()[0] == "no xGMI for 2 pairs without a link type (GPU0-GPU2, GPU1-GPU2)");
  CHECK(kRocmSmiFormat.read("t", broken).assumptions()[0] ==
        "SYS for 2 pairs without a link type (GPU0-GPU2, GPU1-GPU2)");
}

TEST_CASE("PCIe without hops: the NUMA domains say where a pair meets, else SYS is assumed and named") {
  const std::string types =
      table("Link Type between two GPUs", "GPU0 0 PCIE PCIE\nGPU1 PCIE 0 XGMI\nGPU2 PCIE XGMI 0\n");
  const Topology machine = kRocmSmiFormat.read("t", types);
  CHECK(test::path(machine, 0, 1) == "SYS");
  CHECK(test::path(machine, 1, 2) == "XGMI1");
  REQUIRE(machine.assumptions().size() == 1);
  CHECK(machine.assumptions()[0] == "SYS for 2 pairs without hops or NUMA domains (GPU0-GPU1, GPU0-GPU2)");
  CHECK(test::warnings(kRocmSmiFormat, types) ==
        "t: 2 pairs without hops or NUMA domains (GPU0-GPU1, GPU0-GPU2): SYS is assumed\n");
  const Topology placed = kRocmSmiFormat.read(
      "t",
      types + "GPU[0] : (Topology) Numa Node: 0\nGPU[1] : (Topology) Numa Node: 0\nGPU[2] : (Topology) Numa Node: 1\n");
  CHECK(test::path(placed, 0, 1) == "NODE");
  CHECK(test::path(placed, 0, 2) == "SYS");
  CHECK(placed.assumptions().empty());
}

TEST_CASE("pairs without peer access are named") {
  const std::string types =
      table("Link Type between two GPUs", "GPU0 0 PCIE PCIE\nGPU1 PCIE 0 PCIE\nGPU2 PCIE PCIE 0\n");
  const std::string access =
      table("Link accessibility between two GPUs", "GPU0 True False True\nGPU1 False True True\nGPU2 True True True\n");
  CHECK(test::warnings(kRocmSmiFormat, access + types)
            .find("t: 1 of 3 pairs of GPUs cannot read each other's memory (GPU0-GPU1): ") != std::string::npos);
  const std::string bonds =
      table("Link Type between two GPUs", "GPU0 0 XGMI XGMI\nGPU1 XGMI 0 XGMI\nGPU2 XGMI XGMI 0\n");
  CHECK(test::classes(kRocmSmiFormat, bonds) == "X XGMI1 XGMI1\nXGMI1 X XGMI1\nXGMI1 XGMI1 X\n");
  CHECK(test::path(kRocmSmiFormat.read("t", access + bonds), 0, 1) == "NODE");
  CHECK(kRocmSmiFormat.read("t", access + bonds).assumptions()[0] ==
        "one NUMA domain for GPUs without peer access whose place no source states");
  CHECK(test::path(kRocmSmiFormat.read("t", access + bonds), 0, 2) == "XGMI1");
}

TEST_CASE("other text is refused") {
  CHECK(test::refusal(kRocmSmiFormat, "hello\n") == "0:0 no table of 'rocm-smi --showtopo' found");
  CHECK_FALSE(kRocmSmiFormat.recognises("GPU0 GPU1\n"));
  CHECK_FALSE(kNvidiaSmiFormat.recognises(
      table("Weight between two GPUs", "GPU0 0 XGMI XXXX\nGPU1 XGMI 0 XXXX\nGPU2 XXXX XXXX 0\n")));
}

TEST_CASE("JSON: each pair once, NUMA domains by card") {
  constexpr std::string_view kJson = R"({"system": {
    "(Topology) Weight between DRM devices 0 and 1": "15", "(Topology) Weight between DRM devices 0 and 2": "30",
    "(Topology) Weight between DRM devices 1 and 2": "72",
    "(Topology) Hops between DRM devices 0 and 1": "1", "(Topology) Hops between DRM devices 0 and 2": "1",
    "(Topology) Hops between DRM devices 1 and 2": "3",
    "(Topology) Link type between DRM devices 0 and 1": "XGMI", "(Topology) Link type between DRM devices 0 and 2": "XGMI",
    "(Topology) Link type between DRM devices 1 and 2": "PCIE"},
   "card0": {"(Topology) Numa Node": "3", "(Topology) Numa Affinity": "3"},
   "card1": {"(Topology) Numa Node": "0", "(Topology) Numa Affinity": "1"}, "card2": {"(Topology) Numa Node": "1"}})";
  CHECK(test::classes(kRocmSmiFormat, kJson) == "X XGMI1 XGMIH2\nXGMI1 X SYS\nXGMIH2 SYS X\n");
  const Topology machine = read_topology_text("t", kJson);
  CHECK(machine.vertex_of(Place(0)).numa == 3);
  CHECK(machine.vertex_of(Place(1)).numa == -1);
  CHECK(machine.vertex_of(Place(2)).numa == 1);
  CHECK(test::warnings(kRocmSmiFormat, kJson) ==
        "t: Numa Node and Numa Affinity differ for GPU1; they will not be bound by either\n");
  CHECK(test::classes(kRocmSmiFormat, "\nWARNING: No JSON data to report\n" + std::string(kJson)) ==
        test::classes(kRocmSmiFormat, kJson));
  CHECK(test::warnings(kRocmSmiFormat, R"({"card0": {"(Topology) Numa Node": "3"}})") ==
        "t: only NUMA domains, no links between GPUs: it does not show NVLink or xGMI; rocm-smi --showtopo prints "
        "both\n");
  CHECK(test::refusal(kRocmSmiFormat, "{\"(Topology) Numa Node\": 1, \"system\": 5}").find("expected an object") !=
        std::string::npos);
}
