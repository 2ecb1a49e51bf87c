// SPDX-License-Identifier: BSD-3-Clause
// How topowise uses a driver's answers, on a driver made by hand; tests/fake_driver covers whole nodes.
#include <topowise/topology_source/live/driver_gpus.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include <topowise/topology_source/merge/merge.hpp>

using namespace topowise;
using device::Driver;

namespace {

constexpr std::array kBusIds{"0000:82:00.0", "0000:03:00.0", "0000:04:00.0"};  // in a driver's order: the fastest first

/// Three GPUs; those at 03 and 04 have a bond.
device::Functions three_gpus() {
  device::Functions table;
  table.error_name = [](int) { return "ERROR_NOT_SUPPORTED"; };
  table.error_description = [](int) { return "not supported"; };
  table.initialize = {"init", [] { return 0; }};
  table.device_count = {"count", [](int* count) { return *count = 3, 0; }};
  table.device_name = {"name", [](char* text, int, int) { return std::strcpy(text, "thing"), 0; }};
  table.pci_bus_id = {"pci", [](char* text, int, int device) {
                        return std::strcpy(text, kBusIds[static_cast<std::size_t>(device)]), 0;
                      }};
  table.device_uuid = {"uuid", [](device::Uuid* uuid, int device) {
                         std::memset(uuid->bytes, 'a' + device, sizeof uuid->bytes);
                         return 0;
                       }};
  table.total_memory = {"total", [](std::size_t* size, int) { return *size = 1, 0; }};
  table.can_access_peer = {"access", [](int* can, int from, int to) { return *can = from + to == 3 ? 1 : 0, 0; }};
  table.peer_link = {"link", [](device::PeerLink* link, int from, int to) {
                       *link = {.bonded = from + to == 3, .rank = from + to == 3 ? 0 : 7};
                       return 0;
                     }};
  return table;
}

Driver driver_of(device::Functions table, const char* backend = "cuda") {
  std::string reason;
  const std::array<std::string, 1> any{"libc.so.6"};  // the table calls no library
  return {backend, SharedLibrary::open(any, reason).value(), std::move(table)};
}

std::vector<BusGpu> bus_of_three() {
  std::vector<BusGpu> bus;
  for (const char* id : {"0000:03:00.0", "0000:04:00.0", "0000:82:00.0"}) {
    BusGpu gpu{.pci = *PciAddress::parse(id), .vendor = kNvidiaVendor};
    gpu.numa = gpu.pci.bus > 0x80 ? 1 : 0;
    gpu.root = gpu.numa == 1 ? "pci0000:80" : "pci0000:00";
    bus.push_back(std::move(gpu));
  }
  return bus;
}

bool warns(const Topology& machine, std::string_view words) {
  return std::ranges::any_of(machine.warnings(),
                             [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

std::string path(const Topology& machine, std::size_t a, std::size_t b) {
  return to_string(machine.path_class(Place(a), Place(b)));
}

}  // namespace

TEST_CASE("GPUs are in the order of their bus ids, however the driver counts") {
  const Topology machine = topology_of(driver_of(three_gpus()), {});
  REQUIRE(machine.place_count() == 3);
  CHECK(machine.vertex_of(Place(0)).pci->to_string() == "0000:03:00.0");
  CHECK(machine.vertex_of(Place(2)).uuid == "GPU-aaaaaaaaaaaaaaaa");  // digits, as HIP writes them
  CHECK(path(machine, 0, 1) == "NV1");
  CHECK(path(machine, 0, 2) == "M1");
  CHECK(warns(machine, "cuda does not count the links of a bond between GPUs: NV1 may be several"));
  CHECK(warns(machine, "all pairs without a bond are taken to be alike"));
  CHECK(warns(machine, "2 of 3 pairs of GPUs cannot read each other's memory (GPU0-GPU2, GPU1-GPU2)"));
  CHECK(path(topology_of(driver_of(three_gpus(), "hip"), {}), 0, 1) == "XGMI1");
}

TEST_CASE("the bus gives the tree") {
  const std::vector<BusGpu> bus = bus_of_three();
  const Topology machine = topology_of(driver_of(three_gpus()), bus);
  CHECK(path(machine, 0, 1) == "NV1");
  CHECK(path(machine, 0, 2) == "SYS");
  CHECK(machine.vertex_of(Place(2)).numa == 1);
  CHECK_FALSE(warns(machine, "not known"));
  const Topology joined = merge(topology_of(bus), machine);
  CHECK(path(joined, 0, 1) == "NV1");
  CHECK(path(joined, 1, 2) == "SYS");
  CHECK(joined.link(joined.route(Place(0), Place(1)).front()).source == "cuda (nominal)");
  CHECK(joined.link(joined.route(Place(0), Place(1)).front()).source.trust() == Trust::wiring);
}

TEST_CASE("a driver that does not know how its GPUs are joined") {
  device::Functions old = three_gpus();
  old.peer_link = {"cuDeviceGetP2PAttribute", nullptr};
  const Topology machine = topology_of(driver_of(old), {});
  CHECK(warns(machine, "cuda does not say how the GPUs are joined: 'libc.so.6' has no cuDeviceGetP2PAttribute"));
  CHECK(path(machine, 0, 1) == "M1");
  CHECK(machine.levels().size() == 1);
}
