// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;
using test::path;

namespace {

Topology read(const std::string& text) {
  return kNcclXmlFormat.read("node.xml", text);
}

Diagnostic first_error(const std::string& text) {
  return test::first_error(kNcclXmlFormat, text);
}

std::string gpu(const std::string& bus, int dev, const std::string& links = {}) {
  return "<pci busid='" + bus + "' class='0x030200' link_speed='16.0 GT/s PCIe' link_width='16'><gpu dev='" +
         std::to_string(dev) + "' sm='80'>" + links + "</gpu></pci>\n";
}

}  // namespace

TEST_CASE("switches, host bridges and sockets give the classes") {
  const Topology machine = read(
      "<!-- a comment first -->\n<system version='1'>\n<cpu numaid='2' affinity='00000000,000000ff' arch='x86_64' "
      "vendor='AuthenticAMD'>\n<pci busid='0000:01:00.0' class='0x060400'>" +
      gpu("0000:02:00.0", 0) + "<pci busid='0000:03:00.0' class='0x060400'>" + gpu("0000:04:00.0", 1) + "</pci></pci>" +
      gpu("0000:05:00.0", 3) + "</cpu><cpu numaid='5' affinity='000000ff,00000000' vendor='AuthenticAMD'>" +
      gpu("0000:81:00.0", 4) + "</cpu></system>");
  REQUIRE(machine.place_count() == 4);
  CHECK(path(machine, 0, 1) == "PXB");
  CHECK(path(machine, 0, 2) == "PHB");
  CHECK(path(machine, 1, 3) == "SYS");
  CHECK(machine.vertex_of(Place(2)).name == "GPU3");
  CHECK(machine.vertex_of(Place(0)).numa == 2);
  CHECK(machine.vertex_of(Place(0)).cpus == "0-7");
  CHECK(machine.vertex_of(Place(3)).cpus == "32-39");
  CHECK(machine.vertex_of(Place(3)).pci->to_string() == "0000:81:00.0");
  CHECK(machine.bandwidth(Place(2), Place(3)).value() == doctest::Approx(16e9));
}

TEST_CASE("one switch that is written several times is one switch") {
  const std::string part = "<pci busid='0000:c5:00.0' class='0x060400'>";
  const Topology machine = read("<system><cpu>" + part + gpu("0000:d0:00.0", 0) + "</pci>" + part +
                                gpu("0000:d1:00.0", 1) + "</pci></cpu></system>");
  CHECK(path(machine, 0, 1) == "PIX");
}

TEST_CASE("NVLink to a GPU, to NVSwitches, to a processor, to itself") {
  const auto to = [](const std::string& target, const std::string& kind, int count) {
    return "<nvlink target='" + target + "' count='" + std::to_string(count) + "' tclass='" + kind + "'/>";
  };
  const Topology bonded = read("<system><cpu>" + gpu("1:00.0", 0, to("2:00.0", "0x030200", 3)) +
                               gpu("2:00.0", 1, to("1:00.0", "0x030200", 3)) + "</cpu></system>");
  CHECK(path(bonded, 0, 1) == "NV3");
  CHECK(bonded.bandwidth(Place(0), Place(1)).value() == 75e9);
  CHECK(bonded.warnings().empty());

  const std::string four = to("a:00.0", "0x068000", 2) + to("b:00.0", "0x068000", 2);
  const Topology switched = read("<system><cpu>" + gpu("1:00.0", 0, four) + gpu("2:00.0", 1, four) + "</cpu></system>");
  CHECK(path(switched, 0, 1) == "NV4");

  const std::string up = to("ffff:ff:00.0", "0x068001", 2);
  const Topology power = read("<system><cpu>" + gpu("1:00.0", 0, up) + gpu("2:00.0", 1, up) + "</cpu></system>");
  CHECK(path(power, 0, 1) == "PHB");

  const Topology hidden = read("<system><cpu>" + gpu("1:00.0", 0, to("1:00.0", "0x030200", 12)) +
                               gpu("2:00.0", 1, to("9:00.0", "0x030200", 12)) + "</cpu></system>");
  CHECK(path(hidden, 0, 1) == "PHB");
  REQUIRE(hidden.warnings().size() == 2);
  CHECK(hidden.warnings()[0].starts_with("GPU0: 12 nvlink links lead back to itself"));
  CHECK(hidden.warnings()[1].starts_with("GPU1: nvlink target '9:00.0' is no GPU of this file"));
}

TEST_CASE("ends that disagree are reported, each direction keeps its own") {
  const auto to = [](const std::string& target, int count) {
    return "<xgmi target='" + target + "' count='" + std::to_string(count) + "'/>";
  };
  const Topology machine =
      read("<system><cpu>" + gpu("1:00.0", 0, to("2:00.0", 4)) + gpu("2:00.0", 1, to("1:00.0", 2)) + "</cpu></system>");
  CHECK(path(machine, 0, 1) == "XGMI4");
  REQUIRE(machine.warnings().size() == 1);
  CHECK(machine.warnings()[0] == "GPU0 names 4 xgmi links to GPU1, which names 2 back");
}

TEST_CASE("C2C carries its own rate, in MB/s per link") {
  const std::string c2c = "<c2c bw='44712' count='10'/>";
  const Topology machine = read("<system><cpu>" + gpu("1:00.0", 0, c2c) + gpu("2:00.0", 1, c2c) + "</cpu></system>");
  CHECK(path(machine, 0, 1) == "PHB");
  CHECK(machine.bandwidth(Place(0), Place(1)).value() == doctest::Approx(447.12e9));
}

TEST_CASE("a virtual machine's file has no <gpu>: devices are known by their class, numbered by bus id") {
  const Topology machine = read(
      "<system><cpu numaid='0'><pci busid='ffff:ff:01.0' class='0x060400'>"
      "<pci busid='0003:00:00.0' class='0x030200'/><pci busid='0103:00:00.0' class='0x020700'/>"
      "<pci busid='0001:00:00.0' class='0x030200'/><pci busid='0009:00:00.0' class='0x030000' vendor='0x1a03'/>"
      "</pci></cpu></system>");
  REQUIRE(machine.place_count() == 2);
  CHECK(machine.vertex_of(Place(0)).pci->domain == 1);
  CHECK(path(machine, 0, 1) == "PIX");
}

TEST_CASE("virtual interfaces are left out, kb/s are understood") {
  const Topology machine = read(
      "<system><cpu numaid='0'>" + gpu("1:00.0", 0) +
      "<pci busid='3:00.0' class='0x020000' link_speed='16.0 GT/s PCIe' link_width='16'><nic><net name='cxi0' "
      "speed='200000000'/></nic></pci><nic><net name='cali1' speed='10000'/><net name='eth0' speed='100000'/></nic>"
      "</cpu><cpu numaid='1'><nic><net name='cali1' speed='10000'/></nic></cpu></system>");
  std::string nics;
  for (const Vertex& vertex : machine.vertices()) {
    if (vertex.kind == VertexKind::nic) nics += vertex.name + ' ';
  }
  CHECK(nics == "cxi0 eth0 ");
  REQUIRE(machine.warnings().size() == 1);
  CHECK(machine.warnings()[0] == "1 virtual network interfaces are left out");
  for (const Link& link : machine.links()) {
    if (machine.vertex(link.from).name == "cxi0") CHECK(link.bandwidth.value() == 25e9);
  }
}

TEST_CASE("a network interface that is under each <cpu> is one; that of another host is another") {
  const auto interfaces = [](const std::string& hosts, const std::string& second) {
    const std::string net = "<nic><net name='eth0' speed='100000'/></nic>";
    const Topology machine = read("<system><cpu numaid='0' " + hosts + gpu("1:00.0", 0) + net +
                                  "</cpu><cpu numaid='1' " + second + gpu("81:00.0", 1) + net + "</cpu></system>");
    return std::ranges::count(machine.vertices(), VertexKind::nic, &Vertex::kind);
  };
  CHECK(interfaces(">", ">") == 1);
  CHECK(interfaces("host_hash='0x1'>", "host_hash='0x1'>") == 1);
  CHECK(interfaces("host_hash='0x1'>", "host_hash='0x2'>") == 2);
}

TEST_CASE("a network interface is one, wherever it stands; those without a name are apart, ports of one name add up") {
  const auto interfaces = [](const std::string& pci, const std::string& nets) {
    const Topology machine = read("<system><cpu numaid='0'><nic>" + nets + "</nic>" + gpu("1:00.0", 0) + pci +
                                  "</cpu><cpu numaid='1'><nic>" + nets + "</nic></cpu></system>");
    std::string found;
    for (const Link& link : machine.links()) {
      const Vertex& vertex = machine.vertex(link.from);
      if (vertex.kind == VertexKind::nic) found += fmt::format("{} {:g} ", vertex.name, link.bandwidth.value());
    }
    return found;
  };
  const std::string device = "<pci busid='3:00.0' class='0x020000'><nic><net name='eth0' speed='80000'/></nic></pci>";
  CHECK(interfaces(device, "<net name='eth0' speed='80000'/>") == "eth0 1e+10 ");
  CHECK(interfaces("", "<net name='eth0' port='1' speed='80000'/><net name='eth0' port='2' speed='8000'/>") ==
        "eth0 1.1e+10 ");
  const std::string nameless = interfaces(device, "<net speed='8000'/>");
  CHECK(nameless == "eth0 1e+10 NIC1 1e+09 NIC2 1e+09 ");
}

TEST_CASE("where a virtual machine hides the NVSwitches their links lead to them") {
  const std::string up = "<nvlink target='fffffff:ffff:ff' count='18' tclass='0x068000'/>";
  const Topology machine = read("<system><cpu numaid='0'>" + gpu("1:00.0", 0, up) + gpu("2:00.0", 1, up) +
                                gpu("3:00.0", 2, up) + "</cpu></system>");
  CHECK(path(machine, 0, 2) == "NV18");
  CHECK(std::ranges::count(machine.vertices(), VertexKind::nvswitch, &Vertex::kind) == 1);
}

TEST_CASE("hosts of a rack are apart") {
  const std::string up = "<nvlink target='a:00.0' count='18' tclass='0x068000'/>";
  const Topology rack = read("<system><cpu host_hash='0x1' numaid='0'>" + gpu("1:00.0", 0, up) +
                             "</cpu><cpu host_hash='0x2' numaid='0'>" + gpu("1:00.0", 0, up) + "</cpu></system>");
  REQUIRE(rack.place_count() == 2);
  CHECK(path(rack, 0, 1) == "NV18");
  CHECK(rack.vertex_of(Place(1)).node == "0x2");
}

TEST_CASE("what is wrong is reported with its position") {
  const Diagnostic twice =
      first_error("<system>\n <cpu>\n  " + gpu("1:00.0", 0) + "  " + gpu("1:00.0", 1) + " </cpu>\n</system>");
  CHECK(twice.what == "bus id '1:00.0' is used twice, first in line 3");
  CHECK(twice.position.line == 4);
  CHECK(twice.position.column == 15);
  CHECK(first_error("<system><cpu>" + gpu("1:00.0", 0) + gpu("2:00.0", 0) + "</cpu></system>")
            .what.starts_with("dev '0' is used twice"));
  CHECK(first_error("<system><cpu><pci busid='zz' class='0x030200'/></cpu></system>").what ==
        "'zz' is not a PCI bus id");
  CHECK(first_error("<system><cpu><pci class='0x030200'/></cpu></system>").what == "<pci> has no busid");
  CHECK(first_error("<system><cpu/></system>").what == "there is no GPU in this file");
  CHECK(first_error("<system><cpu affinity='xyz'/></system>").what == "'xyz' is not a processor mask");
  CHECK(first_error("<graphs/>").what ==
        "this is NCCL's graph file, which describes its rings and trees, not the machine");
  CHECK(first_error("<system><cpu></system>").what.starts_with("not well-formed XML: "));
  CHECK(first_error("<system><cpu>" + gpu("1:00.0", 0, "<xgmi target='2:00.0' count='0'/>") + "</cpu></system>").what ==
        "'0' is not a number of links");
}

TEST_CASE("a tree that bites its tail, and one without end") {
  const std::string loop =
      "<pci busid='1:00.0' class='0x060400'><pci busid='2:00.0' class='0x060400'>"
      "<pci busid='1:00.0' class='0x060400'>" +
      gpu("3:00.0", 0) + "</pci></pci></pci>";
  CHECK(first_error("<system><cpu>" + loop + "</cpu></system>").what ==
        "PCI device '0000:01:00.0' stands in two places of the tree");
  std::string deep = "<system><cpu>";
  for (int i = 0; i < 100000; ++i) deep += "<pci>";
  for (int i = 0; i < 100000; ++i) deep += "</pci>";
  CHECK(first_error(deep + "</cpu></system>").what == "elements are nested deeper than 128");
}

TEST_CASE("a file of bus ids alone: its leaves are the GPUs, unless there are too many") {
  const auto leaves = [](int count, const std::string& attributes) {
    std::string text = "<system version='1'><cpu numaid='0'>";
    for (int i = 0; i < count; ++i) {
      constexpr std::string_view kHex = "0123456789abcdef";
      text.append("<pci busid='0000:").append(1, kHex[static_cast<std::size_t>(i / 16)]);
      text.append(1, kHex[static_cast<std::size_t>(i % 16)]).append(":00.0' ").append(attributes).append("/>");
    }
    return text + "</cpu></system>";
  };
  const Topology eight = read(leaves(8, ""));
  CHECK(eight.place_count() == 8);
  REQUIRE(eight.warnings().size() == 2);
  CHECK(eight.warnings()[0].starts_with("no <pci> of this file states its class"));
  CHECK(eight.warnings()[1].find("does not show NVLink or xGMI") != std::string::npos);
  CHECK(read(leaves(2, "vendor='0x10de'")).place_count() == 2);
  CHECK(first_error(leaves(2, "vendor='0x1d0f'")).what == "there is no GPU in this file");
  CHECK(first_error(leaves(32, "")).what.starts_with("32 devices, of which nothing says"));
}

TEST_CASE("unknown is not absent: a file that shows no NVLink of GPUs that have it") {
  const auto pair = [](const std::string& attributes, const std::string& sm) {
    std::string text = "<system><cpu>";
    for (const std::string bus : {"1:00.0", "2:00.0"})
      text += "<pci class='0x030200' busid='" + bus + "' " + attributes + "><gpu dev='" + bus.substr(0, 1) + "' sm='" +
              sm + "'/></pci>";
    return read(text + "</cpu></system>");
  };
  const Topology sxm = pair("vendor='0x10de' device='0x2330'", "90");
  REQUIRE(sxm.warnings().size() == 1);
  CHECK(
      sxm.warnings()[0].find("does not show NVLink or xGMI: none of its <gpu> has a link. GPUs of this kind (H100 SXM5 "
                             "80GB) have it.") != std::string::npos);
  CHECK(pair("", "90").warnings().size() == 1);
  CHECK(pair("vendor='0x10de' device='0x2331'", "90").warnings().empty());  // this is the PCIe card
  CHECK(pair("", "89").warnings().empty());
}

TEST_CASE("GPUs of two vendors: each vendor's library numbers its own, with a warning") {
  const auto pci = [](const std::string& bus, const std::string& vendor, const std::string& gpu) {
    return "<pci busid='" + bus + ":00.0' " + vendor + ">" + gpu + "</pci>";
  };
  const auto names = [](const Topology& machine) {
    std::string text;
    for (std::size_t p = 0; p < machine.place_count(); ++p)
      text += (p == 0 ? "" : ", ") + machine.vertex_of(Place(p)).name + " " +
              std::to_string(machine.vertex_of(Place(p)).pci->bus);
    return text;
  };
  const std::string nvidia = "class='0x030200' vendor='0x10de'";
  const std::string amd = "class='0x038000' vendor='0x1002'";
  const std::string warning =
      "GPUs of several vendors are in one node (AMD, NVIDIA): each vendor's variable counts its own alone, as their "
      "names do";
  // The form of NCCL and RCCL: both count from 0.
  const Topology dumped = read(
      "<system><cpu>" + pci("1", nvidia, "<gpu dev='0' sm='89'/>") + pci("2", amd, "<gpu dev='0' gcn='gfx942'/>") +
      pci("3", nvidia, "<gpu dev='1' sm='89'/>") + pci("4", amd, "<gpu dev='1' gcn='gfx942'/>") + "</cpu></system>");
  CHECK(names(dumped) == "NVIDIA GPU0 1, AMD GPU0 2, NVIDIA GPU1 3, AMD GPU1 4");
  REQUIRE(dumped.warnings().size() >= 1);
  CHECK(dumped.warnings()[0] == warning);
  // Without <gpu>; with classes and without.
  for (const std::string type : {"class='0x030200' ", ""}) {
    const Topology cloud =
        read("<system><cpu>" + pci("1", type + "vendor='0x1002'", "") + pci("2", type + "vendor='0x10de'", "") +
             pci("3", type + "vendor='0x10de'", "") + "</cpu></system>");
    CHECK(names(cloud) == "AMD GPU0 1, NVIDIA GPU0 2, NVIDIA GPU1 3");
    CHECK(std::ranges::find(cloud.warnings(), warning) != cloud.warnings().end());
  }
  CHECK(first_error("<system><cpu>" + pci("1", nvidia, "<gpu dev='0' sm='89'/>") + pci("2", amd, "<gpu dev='0'/>") +
                    pci("3", nvidia, "<gpu dev='0' sm='89'/>") + "</cpu></system>")
            .what.starts_with("dev '0' is used twice, first in line 1"));
}
