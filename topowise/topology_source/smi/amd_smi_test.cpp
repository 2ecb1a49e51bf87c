// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/amd_smi.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

namespace {

const std::string kColumns = "             0000:0c:00.0 0000:22:00.0 0000:38:00.0\n";

std::string table(std::string_view title, std::string_view a, std::string_view b, std::string_view c) {
  return std::string(title) + "\n" + kColumns + "0000:0c:00.0 " + std::string(a) + "\n0000:22:00.0 " + std::string(b) +
         "\n0000:38:00.0 " + std::string(c) + "\n\n";
}
const std::string kTypes = table("LINK TYPE TABLE:", "SELF XGMI XGMI", "XGMI SELF PCIE", "XGMI PCIE SELF");
const std::string kHops = table("HOPS TABLE:", "0 1 1", "1 0 2", "1 2 0");
const std::string kBandwidths =
    table("NUMA BW TABLE:", "N/A 50000-200000 50000-50000", "50000-200000 N/A N/A", "50000-50000 N/A N/A");
const std::string kXgmi =
    "LINK METRIC TABLE:\n"
    "       bdf          bit_rate max_bandwidth link_type 0000:0c:00.0 0000:22:00.0\n"
    "GPU0   0000:0c:00.0 32 Gb/s  512 Gb/s      XGMI\n Read  N/A 2 KB\n Write N/A 1 KB\n"
    "GPU1   0000:22:00.0 32 Gb/s  512 Gb/s      XGMI\n Read  0 KB N/A\n Write 0 KB N/A\n";

}  // namespace

TEST_CASE("the tables of amd-smi topology") {
  CHECK(test::classes(kAmdSmiFormat, kTypes + kHops + kBandwidths) == "X XGMI4 XGMI1\nXGMI4 X NODE\nXGMI1 NODE X\n");
  const Topology machine = kAmdSmiFormat.read("t", kTypes + kHops + kBandwidths);
  CHECK(machine.bandwidth(Place(0), Place(1)) == gigabytes_per_second(200));
  CHECK(machine.link(machine.route(Place(0), Place(1)).front()).source == "amd-smi (as printed)");
  CHECK(machine.vertex_of(Place(1)).pci->to_string() == "0000:22:00.0");
  CHECK(machine.vertex_of(Place(1)).name == "GPU1");
  CHECK(machine.warnings().empty());
}

TEST_CASE("the report of amd-smi xgmi") {
  CHECK(test::classes(kAmdSmiFormat, kXgmi) == "X XGMI1\nXGMI1 X\n");
  CHECK(kAmdSmiFormat.read("t", kXgmi).bandwidth(Place(0), Place(1)) == gigabytes_per_second(64));
}

TEST_CASE("where the two reports differ, that is said") {
  const std::string both =
      kTypes + kHops + table("NUMA BW TABLE:", "N/A 50000-50000 N/A", "50000-50000 N/A N/A", "N/A N/A N/A") + kXgmi;
  CHECK(kAmdSmiFormat.read("t", both).bandwidth(Place(0), Place(1)) == gigabytes_per_second(64));
  CHECK(test::warnings(kAmdSmiFormat, both).find("the xgmi report gives 64 GB/s") != std::string::npos);
}

TEST_CASE("other text is refused") {
  CHECK(test::refusal(kAmdSmiFormat, "WEIGHT TABLE:\n")
            .ends_with("no table of 'amd-smi topology' or 'amd-smi xgmi' found"));
  CHECK_FALSE(kAmdSmiFormat.recognises("TABLE:\n"));
}
