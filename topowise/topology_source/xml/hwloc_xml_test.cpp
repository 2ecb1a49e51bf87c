// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;
using test::path;

namespace {

Topology read(const std::string& text) {
  return kHwlocXmlFormat.read("node.xml", text);
}

Diagnostic first_error(const std::string& text) {
  return test::first_error(kHwlocXmlFormat, text);
}

std::string object(const std::string& attributes, const std::string& inside = {}) {
  return "<object " + attributes + ">" + inside + "</object>\n";
}
std::string gpu(const std::string& bus, const std::string& devices, const std::string& type = "0302 [10de:1db8]") {
  return object("type='PCIDev' pci_busid='" + bus + "' pci_link_speed='15.753846' pci_type='" + type +
                    " [10de:131d] a1 00' gp_index='9" + bus.substr(5, 2) + "'",
                devices);
}
std::string device(const std::string& name, int index) {
  return object("type='OSDev' name='" + name + "' osdev_type='5' gp_index='" + std::to_string(index) + "'");
}
std::string bridge(const std::string& bus, const std::string& inside) {
  return object(
      "type='Bridge' bridge_type='1-1' pci_link_speed='15.753846' pci_type='0604 [8086:2030] [8086:0000] 04' "
      "pci_busid='" +
          bus + "'",
      inside);
}
std::string host_bridge(const std::string& inside) {
  return object("type='Bridge' bridge_type='0-1'", inside);
}
std::string package(int number, const std::string& mask, const std::string& nodeset, const std::string& inside) {
  const std::string sets = " cpuset='" + mask + "' nodeset='" + nodeset + "'";
  const std::string index = " os_index='" + std::to_string(number) + "'";
  return object("type='Package' gp_index='" + std::to_string(number + 1) + "'" + index + sets,
                object("type='NUMANode'" + index + sets) + inside);
}
std::string machine_of(const std::string& inside, const std::string& after = {}) {
  return "<?xml version='1.0'?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version='2.0'>\n" +
         object("type='Machine' cpuset='0xff' nodeset='0x3'", inside) + after + "</topology>\n";
}

}  // namespace

TEST_CASE("bridges become switches, root ports do not; a BMC is no GPU") {
  const std::string behind_switch = bridge(
      "0000:01:00.0", bridge("0000:02:00.0", gpu("0000:03:00.0", device("cuda1", 50) + device("nvml0", 51))) +
                          bridge("0000:02:01.0", gpu("0000:04:00.0", device("cuda0", 52) + device("nvml1", 53))));
  const std::string first = host_bridge(bridge("0000:00:01.0", behind_switch) +
                                        bridge("0000:00:02.0", gpu("0000:08:00.0", device("nvml2", 54)))) +
                            host_bridge(bridge("0000:10:01.0", gpu("0000:11:00.0", device("nvml3", 55))) +
                                        bridge("0000:10:02.0", gpu("0000:12:00.0", "", "0300 [1a03:2000]")));
  const std::string second = host_bridge(bridge("0000:80:01.0", gpu("0000:81:00.0", device("nvml4", 56))));
  const Topology machine = read(machine_of(package(0, "0x0f", "0x1", first) + package(1, "0xf0", "0x2", second)));
  REQUIRE(machine.place_count() == 5);
  CHECK(path(machine, 0, 1) == "PIX");
  CHECK(path(machine, 0, 2) == "PHB");
  CHECK(path(machine, 0, 3) == "NODE");
  CHECK(path(machine, 0, 4) == "SYS");
  CHECK(machine.vertex_of(Place(4)).cpus == "4-7");
  CHECK(machine.vertex_of(Place(4)).numa == 1);
  CHECK(machine.vertex_of(Place(0)).pci->to_string() == "0000:03:00.0");
  REQUIRE(machine.warnings().size() == 1);
  CHECK(machine.warnings()[0].find("does not show NVLink or xGMI") != std::string::npos);
}

TEST_CASE("version 1: a NUMA node has children, a package is a socket") {
  const auto node = [](int number, const std::string& mask, const std::string& bus) {
    return object("type='NUMANode' os_index='" + std::to_string(number) + "' cpuset='" + mask + "' nodeset='0x0000000" +
                      std::to_string(number + 1) + "'",
                  object("type='Socket' os_index='" + std::to_string(number) + "' cpuset='" + mask + "'") +
                      host_bridge(bridge("0000:00:01.0", gpu(bus, ""))));
  };
  const Topology machine =
      read("<topology>\n" +
           object("type='Machine' cpuset='0xff'", node(0, "0x0f", "0000:03:00.0") + node(1, "0xf0", "0000:83:00.0")) +
           "</topology>");
  REQUIRE(machine.place_count() == 2);
  CHECK(path(machine, 0, 1) == "SYS");
  CHECK(machine.vertex_of(Place(1)).numa == 1);
}

TEST_CASE("NVLink distances: between GPUs, to a processor, through NVSwitches without links between them") {
  const std::string gpus =
      host_bridge(bridge("0000:00:01.0", gpu("0000:03:00.0", device("nvml0", 50), "0302 [10de:15f9]"))) +
      host_bridge(bridge("0000:10:01.0", gpu("0000:11:00.0", device("nvml1", 51), "0302 [10de:15f9]")));
  const std::string direct =
      "<distances2hetero nbobjs='3' name='NVLinkBandwidth'><indexes>OSDev:50 OSDev:51 Package:1 </indexes>"
      "<u64values>1000000 40000 40000 40000 </u64values><u64values>1000000 0 40000 0 1000000 </u64values>"
      "</distances2hetero>";
  const Topology bonded = read(machine_of(package(0, "0xff", "0x1", gpus), direct));
  CHECK(path(bonded, 0, 1) == "NV2");
  CHECK(bonded.bandwidth(Place(0), Place(1)).value() == 40e9);

  const std::string nvswitches =
      host_bridge(object("type='PCIDev' subtype='NVSwitch' pci_busid='0000:61:00.0' gp_index='60'") +
                  object("type='PCIDev' subtype='NVSwitch' pci_busid='0000:62:00.0' gp_index='61'"));
  const std::string switched =
      "<distances2hetero nbobjs='4' name='NVLinkBandwidth'><indexes>OSDev:50 OSDev:51 PCIDev:60 PCIDev:61 </indexes>"
      "<u64values>0 0 40000 0 0 0 0 40000 40000 0 0 0 0 40000 0 0</u64values></distances2hetero>";
  const Topology islands = read(machine_of(package(0, "0xff", "0x1", gpus + nvswitches), switched));
  CHECK(path(islands, 0, 1) == "NV2");
  REQUIRE(islands.warnings().size() == 1);
  CHECK(islands.warnings()[0].starts_with("hwloc lists no links between NVSwitches"));
}

TEST_CASE("xGMI: the constant is marked, hops above 1 are no link") {
  const auto amd = [](const std::string& bus, int index) {
    return host_bridge(gpu(bus, device("rsmi" + std::to_string(index), 50 + index), "0380 [1002:7408]"));
  };
  const std::string gpus = amd("0000:03:00.0", 0) + amd("0000:04:00.0", 1) + amd("0000:05:00.0", 2);
  const auto matrices = [](const std::string& bandwidth, const std::string& hops) {
    const std::string head = "<distances2 type='OSDev' nbobjs='3' indexing='gp' name='";
    return head + "XGMIBandwidth'><indexes>50 51 52</indexes><u64values>" + bandwidth + "</u64values></distances2>" +
           head + "XGMIHops'><indexes>50 51 52</indexes><u64values>" + hops + "</u64values></distances2>";
  };
  const Topology constant =
      read(machine_of(package(0, "0xff", "0x1", gpus),
                      matrices("1 100000 100000 100000 1 100000 100000 100000 1", "0 1 2 1 0 1 2 1 0")));
  CHECK(path(constant, 0, 1) == "XGMI1");
  CHECK(path(constant, 0, 2) == "XGMIH2");
  REQUIRE(constant.warnings().size() == 1);
  CHECK(constant.warnings()[0].starts_with("hwloc gives 100 GB/s for every pair"));
  const Topology real = read(machine_of(
      package(0, "0xff", "0x1", gpus), matrices("1 200000 50000 200000 1 100000 50000 100000 1", "0 1 1 1 0 1 1 1 0")));
  CHECK(path(real, 0, 1) == "XGMI4");
  CHECK(path(real, 1, 2) == "XGMI2");
  CHECK(path(real, 0, 2) == "XGMI1");
  CHECK(real.warnings().empty());
}

TEST_CASE("without a GPU the cores are the places") {
  const auto core = [](int number) {
    return object(
        "type='Core' os_index='" + std::to_string(number) + "' cpuset='0x" + std::to_string(1 << number) + "'",
        object("type='PU' os_index='" + std::to_string(number) + "'"));
  };
  const auto cache = [](const std::string& inside) { return object("type='L3Cache'", inside); };
  const Topology machine =
      read(machine_of(package(0, "0x7", "0x1", cache(core(0) + core(1)) + cache(core(2) + core(3)))));
  REQUIRE(machine.place_count() == 4);
  CHECK(path(machine, 0, 1) == "T1");
  CHECK(path(machine, 0, 2) == "T2");
  CHECK(machine.warnings()[0] == "no device is described, and so no GPU: the places are the 4 cores");
  CHECK(node_name(machine, machine.place(Place(0)).vertex).empty());  // the file does not name the host
  const Topology with_devices = read(machine_of(
      package(0, "0x3", "0x1", core(0) + core(1) + host_bridge(gpu("0000:02:00.0", "", "0200 [15b3:1017]")))));
  CHECK(with_devices.place_count() == 2);
  CHECK(with_devices.warnings().empty());
}

TEST_CASE("what is wrong is reported with its position") {
  const std::string one = host_bridge(gpu("0000:03:00.0", device("nvml0", 50)));
  const auto distances = [&](const std::string& count, const std::string& indexes, const std::string& values) {
    return machine_of(package(0, "0xff", "0x1", one),
                      "<distances2 nbobjs='" + count + "' name='NVLinkBandwidth'><indexes>" + indexes +
                          "</indexes><u64values>" + values + "</u64values></distances2>");
  };
  CHECK(first_error(distances("99999999", "50", "1")).what == "'99999999' is not a number of objects");
  CHECK(first_error(distances("1", "50", "1 2")).what ==
        "NVLinkBandwidth has 1 objects and 2 values, 1 objects need 1");
  CHECK(first_error(distances("1", "x", "1")).what == "'x' is not an index of an object");
  CHECK(first_error(distances("1", "50", "-1")).what == "'-1' is not a value of a matrix");
  CHECK(first_error(machine_of(one + one)).what == "bus id '0000:03:00.0' is used twice, first in line 4");
  CHECK(first_error(machine_of("")).what == "there is neither a GPU nor a core in this file");
  CHECK(first_error("<!DOCTYPE topology SYSTEM \"hwloc2.dtd\"><x/>").what == "<x> is not hwloc's <topology>");
  CHECK(first_error("<topology").what.starts_with("not well-formed XML"));
}

TEST_CASE("GPUs of two vendors in one node are counted each by its own") {
  const Topology machine = read(machine_of(
      package(0, "0xff", "0x1",
              host_bridge(bridge("0000:00:01.0", gpu("0000:08:00.0", device("nvml0", 50))) +
                          bridge("0000:00:02.0", gpu("0000:09:00.0", device("rsmi0", 51), "0380 [1002:740f]"))))));
  REQUIRE(machine.place_count() == 2);
  CHECK(machine.vertex_of(Place(0)).name == "NVIDIA GPU0");
  CHECK(machine.vertex_of(Place(1)).name == "AMD GPU0");
  REQUIRE(machine.warnings().size() == 1);
  CHECK(machine.warnings()[0].starts_with("GPUs of several vendors are in one node (AMD, NVIDIA)"));
}

TEST_CASE("displays that are no GPUs, and the name of the host") {
  const std::string core = object("type='Core' os_index='0' cpuset='0x1'", object("type='PU' os_index='0'"));
  const std::string named = "<info name='HostName' value='n07'/>";
  for (const std::string type : {"0300 [1002:515e]", "0300 [8086:3e96]", "0300 [1002:164e]", "0300 [102b:0522]"}) {
    CAPTURE(type);
    const Topology cores =
        read(machine_of(named + package(0, "0xff", "0x1", core + host_bridge(gpu("0000:00:02.0", "", type)))));
    CHECK(cores.place(Place(0)).kind == PlaceKind::core);
    CHECK(node_name(cores, cores.place(Place(0)).vertex) == "n07");
    const Topology card = read(machine_of(
        named + package(0, "0xff", "0x1",
                        core + host_bridge(gpu("0000:00:02.0", "", type) +
                                           bridge("0000:00:01.0", gpu("0000:01:00.0", "", "0300 [10de:2204]"))))));
    REQUIRE(card.place_count() == 1);
    CHECK(card.vertex_of(Place(0)).pci->to_string() == "0000:01:00.0");
    CHECK(node_name(card, card.place(Place(0)).vertex) == "n07");
  }
}
