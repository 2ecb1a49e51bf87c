// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

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

namespace {

/// The form of ROCm 6.2 and later (CHANGELOG of amdsmi): one list of links for each GPU.
constexpr std::string_view kLinks = R"([
    {"gpu": 0, "bdf": "0000:01:00.0", "links": [
      {"gpu": 0, "bdf": "0000:01:00.0", "weight": 0, "link_status": "ENABLED", "link_type": "SELF", "num_hops": 0,
       "bandwidth": "N/A"},
      {"gpu": 1, "bdf": "0001:01:00.0", "weight": 15, "link_status": "ENABLED", "link_type": "XGMI", "num_hops": 1,
       "bandwidth": "50000-100000"},
      {"gpu": 2, "bdf": "0002:01:00.0", "weight": 72, "link_status": "DISABLED", "link_type": "PCIE", "num_hops": 3,
       "bandwidth": "N/A"}]},
    {"gpu": 1, "bdf": "0001:01:00.0", "links": []},
    {"gpu": 2, "bdf": "0002:01:00.0", "links": [
      {"gpu": 1, "bdf": "0001:01:00.0", "weight": 52, "link_type": "PCIE", "num_hops": 2, "bandwidth": "N/A"}]}
])";

/// The form of ROCm 5.7 and 6.0: one object for each property (and "XMGI").
constexpr std::string_view kObjects = R"([
  {"gpu": 0, "link_accessibility": {"gpu_0": true, "gpu_1": true, "gpu_2": false},
   "weight": {"gpu_0": 0, "gpu_1": 15, "gpu_2": 72}, "hops": {"gpu_0": 0, "gpu_1": 1, "gpu_2": 3},
   "link_type": {"gpu_0": 0, "gpu_1": "XMGI", "gpu_2": "PCIE"},
   "numa_bandwidth": {"gpu_0": "N/A", "gpu_1": "50000-100000", "gpu_2": "N/A"}},
  {"gpu": 1, "hops": {"gpu_0": 1, "gpu_1": 0, "gpu_2": 2}, "link_type": {"gpu_0": "XMGI", "gpu_1": 0, "gpu_2": "PCIE"}},
  {"gpu": 2, "hops": {"gpu_0": 3, "gpu_1": 2, "gpu_2": 0}, "link_type": {"gpu_0": "PCIE", "gpu_1": "PCIE", "gpu_2": 0}}
])";

constexpr std::string_view kCsv =
    "gpu,hops_gpu_0,hops_gpu_1,hops_gpu_2,link_type_gpu_0,link_type_gpu_1,link_type_gpu_2,numa_bandwidth_gpu_0,"
    "numa_bandwidth_gpu_1,numa_bandwidth_gpu_2\r\n"
    "0,0,1,3,0,XGMI,PCIE,N/A,50000-100000,N/A\r\n1,1,0,2,XGMI,0,PCIE,50000-100000,N/A,N/A\r\n"
    "2,3,2,0,PCIE,PCIE,0,N/A,N/A,N/A\r\n";

}  // namespace

TEST_CASE("JSON in both layouts and CSV say the same") {
  constexpr std::string_view kClasses = "X XGMI2 SYS\nXGMI2 X NODE\nSYS NODE X\n";
  for (const std::string_view text : {kLinks, kObjects, kCsv}) {
    CHECK(test::classes(kAmdSmiFormat, text) == kClasses);
    const Topology machine = read_topology_text("t", text);
    CHECK(machine.bandwidth(Place(0), Place(1)) == gigabytes_per_second(100));
    CHECK(machine.vertex_of(Place(2)).name == "GPU2");
  }
  CHECK(test::warnings(kAmdSmiFormat, kCsv).empty());
  CHECK(read_topology_text("t", kLinks).vertex_of(Place(1)).pci->to_string() == "0001:01:00.0");
}

TEST_CASE("pairs without peer access are named, in every form") {
  const std::string expected =
      "t: 1 of 3 pairs of GPUs cannot read each other's memory (GPU0-GPU2): their copies are staged in host memory, "
      "so their class and route are those by way of the host\n";
  CHECK(test::warnings(kAmdSmiFormat, kLinks) == expected);
  CHECK(test::warnings(kAmdSmiFormat, kObjects) == expected);
  const std::string ids = " 0000:01:00.0 0000:02:00.0\n";
  const std::string types = "LINK TYPE TABLE:\n" + ids + "0000:01:00.0 SELF PCIE\n0000:02:00.0 PCIE SELF\n";
  const auto access = [&](const std::string& word) {
    return "ACCESS TABLE:\n" + ids + "0000:01:00.0 ENABLED " + word + "\n0000:02:00.0 ENABLED ENABLED\n" + types;
  };
  CHECK(test::warnings(kAmdSmiFormat, access("DISABLED")).find("t: 1 of 1 pairs of GPUs cannot read") !=
        std::string::npos);
  CHECK(test::warnings(kAmdSmiFormat, access("ENABLED")) ==
        "t: 1 pair without hops or NUMA domains (GPU0-GPU1): SYS is assumed\n");
}

TEST_CASE("warnings before the JSON are no part of it") {
  const std::string banner = "WARNING: User is missing the group: render\n[WARNING] old driver\n\n";
  CHECK(test::classes(kAmdSmiFormat, banner + std::string(kLinks)) == test::classes(kAmdSmiFormat, kLinks));
  CHECK(test::refusal(kAmdSmiFormat, banner + "[\n{\"gpu\": -1, \"links\": []}]").starts_with("5:9 [0].gpu: "));
}

TEST_CASE("damage in JSON and CSV is located") {
  std::string text(kLinks);
  text.replace(text.find("\"PCIE\""), 6, "\"XXXX\"");
  CHECK(test::warnings(kAmdSmiFormat, text).starts_with("t: 'XXXX' for GPU0 and GPU2 as link type (1 of this kind)\n"));
  CHECK(test::refusal(kAmdSmiFormat, "[\n{\"gpu\": -1, \"links\": []}]").starts_with("2:9 [0].gpu: "));
  CHECK(test::refusal(kAmdSmiFormat, "[\n{\"gpu\": 0, \"hops\": {\"x\": 1}}]").starts_with("2:26 [0].hops.x: the key"));
  CHECK(test::refusal(kAmdSmiFormat, "[]") == "0:0 no GPU in this output of 'amd-smi topology'");
  CHECK(test::refusal(kAmdSmiFormat, "gpu,hops_gpu_0\n0,0,1\n") == "2:0 3 cells, the header has 2");
  std::string many = "[{\"gpu\":9999}";
  for (int i = 0; i < 1100; ++i) many.append(",{\"gpu\":").append(std::to_string(i)).append("}");
  CHECK(test::refusal(kAmdSmiFormat, many + "]").ends_with("more than 1024 GPUs in one machine"));
}
