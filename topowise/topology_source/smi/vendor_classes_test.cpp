// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/smi/vendor_classes.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/topology_source/node/text_formats.hpp>
#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;

namespace {

/// Two pairs with `word` between them, on two NUMA domains.
std::string table(const std::string& word, const std::string& name = "GPU") {
  const auto n = [&](int i) { return name + std::to_string(i); };
  return "  " + n(0) + " " + n(1) + " " + n(2) + " " + n(3) + " CPU Affinity\n" + n(0) + " X " + word +
         " SYS SYS 0-7\n" + n(1) + " " + word + " X SYS SYS 0-7\n" + n(2) + " SYS SYS X " + word + " 8-15\n" + n(3) +
         " SYS SYS " + word + " X 8-15\n";
}

std::string class_in(const std::string& text) {
  CHECK(kNvidiaSmiFormat.recognises(text));
  const Topology machine = kNvidiaSmiFormat.read("t", text);
  CHECK(machine.level(Place(0), Place(1)) < machine.level(Place(0), Place(2)));
  return test::path(machine, 2, 3);
}
std::string described(std::string_view legend) {
  const std::optional<PathClass> path = described_class("QX", legend);
  return path ? to_string(*path) : "none";
}

}  // namespace

TEST_CASE("a legend that denies a connection makes no link") {
  for (const char* legend : {"No direct connection, links disabled", "Link down", "Not connected by a link"})
    CHECK_FALSE(described_class("QQ", legend));
  CHECK(described_class("QQ", "Connection traversing HyperTunnel"));
}

TEST_CASE("documented classes of other vendors are links of their own, nearer than PCIe") {
  CHECK(class_in(table("MX")) == "LINK");
  CHECK(class_in(table("MT2")) == "LINK2");
  CHECK(class_in(table("XL8")) == "LINK8");
  CHECK(class_in(table("XL*")) == "LINK");
  CHECK(class_in(table("MDF")) == "C2C");
  CHECK(class_in(table("HCCS", "NPU")) == "LINK");
  CHECK(class_in(table("HCCS_SW", "Phy-ID")) == "LINK");
  CHECK(class_in(table("SIO", "Phy-ID1")) == "C2C");
  CHECK(PathClass{PathKind::vendor_link, 8} < PathClass{PathKind::vendor_link, 1});
  CHECK(PathClass{PathKind::vendor_link, 1} < PathClass{PathKind::same_board, 0});
}

TEST_CASE("a link of another vendor has no rate, and its provenance is its tool") {
  const Topology machine = kNvidiaSmiFormat.read("t", table("MT2"));
  REQUIRE(machine.route(Place(0), Place(1)).size() == 1);
  const Link& link = machine.link(machine.route(Place(0), Place(1)).front());
  CHECK(link.kind == LinkKind::vendor_link);
  CHECK(link.width == 2);
  CHECK(link.bandwidth.value() == 0);
  CHECK(link.source == "mthreads-gmi");
  CHECK(machine.vertex_of(Place(3)).cpus == "8-15");
  CHECK(test::warnings(kNvidiaSmiFormat, table("MT2")) ==
        "t:2:8: 'MT2' (MTLink of Moore Threads) counts as LINK2, nearer than all of PCIe; neither its rate nor its "
        "latency "
        "is known\n");
}

TEST_CASE("the legend of the text defines a class") {
  CHECK(class_in(table("HT") + "Legend:\n  HT = Connection traversing HyperTunnel\n") == "LINK");
  CHECK(class_in("FL# = Connection traversing a bonded set of # FastLinks\n" + table("FL3")) == "LINK3");
  CHECK(class_in(table("BRG") + "Legend:\n  BRG = Connection traversing multiple PCIe bridges\n") == "PXB");
  CHECK(test::warnings(kNvidiaSmiFormat, table("BRG") + "  BRG = Connection traversing a single PCIe switch\n") ==
        "t:2:8: 'BRG' ('Connection traversing a single PCIe switch') counts as PIX\n");
}

TEST_CASE("legends in NVIDIA's words are places on the host") {
  CHECK(described("Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)") ==
        "SYS");
  CHECK(described("Path traversing PCIe and NUMA nodes. Nodes are connected through SMP, such as QPI, UPI.") == "SYS");
  CHECK(described(
            "Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node") ==
        "NODE");
  CHECK(described("within a NUMA node") == "NODE");
  CHECK(described("Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)") == "PHB");
  CHECK(described("Path traversing multiple PCIe switches") == "PXB");
  CHECK(described("Connection traversing at most a single PCIe bridge") == "PIX");
  CHECK(described("Connection traversing MetaXLink") == "LINK");
  CHECK(described("Connected with Multi-Die Fabric Interface") == "C2C");
  CHECK(described("Connection traversing Eth") == "none");
  CHECK(described("Connection type is unknown") == "none");
  CHECK(described("Connection traversing PCIe") == "none");
}

TEST_CASE("a class that nobody defines is refused with its position") {
  const auto refusal = [](const std::string& text) { return test::refusal(kNvidiaSmiFormat, text); };
  CHECK(refusal(table("FOO")) == "2:8 unknown class 'FOO' of GPU0 and GPU1, which no legend in this text defines");
  CHECK(refusal(table("ETH") + "  ETH = Connection traversing Eth\n") ==
        "2:8 class 'ETH' of GPU0 and GPU1 names no known place: it is 'Connection traversing Eth'");
  const std::string nic = "  GPU0 NIC0\nGPU0 X FOO\nNIC0 FOO X\n";
  CHECK(test::warnings(kNvidiaSmiFormat, nic) ==
        "t:2:8: unknown class 'FOO' of GPU0 and NIC0; where they meet is not known\n"
        "t:3:6: unknown class 'FOO' of NIC0 and GPU0; where they meet is not known\n");
}

TEST_CASE("rows that hold nothing but the words of a legend are rows") {
  const std::string legend = "Legend:\n  FL# = Connection traversing # FastLinks\n";
  CHECK(test::refusal(kNvidiaSmiFormat, "  GPU0 GPU1\nGPU0 X FL2\nGPU1 FL2 X\nGPU2 FL2 FL2\nGPU3 FL2 FL2\n" + legend) ==
        "1:0 the cells of 1 of 6 pairs of GPUs are lost (GPU2 and GPU3): rows or columns were cut off, or a terminal "
        "broke the lines");
  CHECK(test::classes(kNvidiaSmiFormat, "  GPU0 GPU1 GPU2\nGPU0 X FL2 FL1\nGPU1 FL2 X FL1\nGPU2 FL1 FL1\n" + legend) ==
        "X LINK2 LINK\nLINK2 X LINK\nLINK LINK X\n");
}

TEST_CASE("names of accelerators may have a blank or a tile in them") {
  const std::string tiles =
      "         GPU 0/0  GPU 0/1  GPU 1/0  CPU Affinity\nGPU 0/0  S        MDF      XL8      0-7\n"
      "GPU 0/1  MDF      S        XL*      0-7\nGPU 1/0  XL8      XL*      S        8-15\n";
  CHECK(test::classes(kNvidiaSmiFormat, tiles) == "X C2C LINK8\nC2C X LINK\nLINK8 LINK X\n");
  CHECK(kNvidiaSmiFormat.read("t", tiles).vertex_of(Place(1)).name == "GPU0.1");
  const std::string blank = "       GPU 0  GPU 1\nGPU 0  X      NODE\nGPU 1  NODE   X\n";
  CHECK(test::classes(kNvidiaSmiFormat, blank) == "X NODE\nNODE X\n");
  CHECK(kNvidiaSmiFormat.read("t", "   D0 D1\nD0 X PIX\nD1 PIX X\n").vertex_of(Place(1)).name == "D1");
}
