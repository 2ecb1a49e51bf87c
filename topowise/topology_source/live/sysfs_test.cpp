// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/live/sysfs.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <topowise/device/nvml.hpp>
#include <topowise/topology_source/live/nvml_gpus.hpp>
#include <topowise/topology_source/merge/merge.hpp>

using namespace topowise;
namespace fs = std::filesystem;

namespace {

/// A folder laid out as Linux's /sys; it is removed when the test ends.
class Sysfs {
 public:
  Sysfs() : folder_(fs::temp_directory_path() / ("topowise-sysfs-" + std::to_string(::getpid()))) {
    fs::create_directories(buses());
  }
  Sysfs(const Sysfs&) = delete;
  Sysfs& operator=(const Sysfs&) = delete;
  ~Sysfs() { fs::remove_all(folder_); }

  void add(const std::string& path, const std::string& code, const std::string& vendor, int numa,
           const std::string& id = "0x0000") {
    const fs::path device = folder_ / "devices" / path;
    fs::create_directories(device);
    std::ofstream(device / "class") << code << '\n';
    std::ofstream(device / "vendor") << vendor << '\n';
    std::ofstream(device / "device") << id << '\n';
    std::ofstream(device / "numa_node") << numa << '\n';
    std::ofstream(device / "local_cpulist") << (numa == 0 ? "0-7\n" : "8-15\n");
    std::ofstream(device / "max_link_speed") << "16.0 GT/s PCIe\n";
    std::ofstream(device / "max_link_width") << "16\n";
    fs::create_directory_symlink(device, buses() / fs::path(path).filename());
  }
  [[nodiscard]] fs::path buses() const { return folder_ / "bus/pci/devices"; }

 private:
  fs::path folder_;
};

constexpr const char* kGpu = "0x030200";
constexpr const char* kBridge = "0x060400";

}  // namespace

TEST_CASE("the kernel's paths give the PCI tree") {
  Sysfs system;
  const std::string under = "pci0000:00/0000:00:01.0/0000:01:00.0";  // a root port and the upstream port of a switch
  system.add("pci0000:00/0000:00:01.0", kBridge, "0x8086", 0);
  system.add(under + "/0000:02:08.0/0000:03:00.0", kGpu, "0x10de", 0);
  system.add(under + "/0000:02:10.0/0000:04:00.0", kGpu, "0x10de", 0);
  system.add("pci0000:00/0000:00:02.0/0000:05:00.0", kGpu, "0x10de", 0);
  system.add("pci0000:40/0000:40:01.0/0000:41:00.0", kGpu, "0x10de", 0);
  system.add("pci0000:80/0000:80:01.0/0000:81:00.0", kGpu, "0x10de", 1);
  system.add("pci0000:80/0000:80:02.0/0000:82:00.0", "0x030000", "0x1a03", 1);  // a management controller
  const std::vector<BusGpu> gpus = gpus_on_bus(system.buses().string());
  REQUIRE(gpus.size() == 5);
  const Topology machine = topology_of(gpus);
  const auto path = [&](std::size_t a, std::size_t b) { return to_string(machine.path_class(Place(a), Place(b))); };
  CHECK(path(0, 1) == "PIX");
  CHECK(path(0, 2) == "PHB");
  CHECK(path(2, 3) == "NODE");
  CHECK(path(3, 4) == "SYS");
  CHECK(machine.assumptions().empty());
  CHECK(machine.vertex_of(Place(4)).numa == 1);
  CHECK(machine.vertex_of(Place(4)).cpus == "8-15");
  CHECK(machine.bandwidth(Place(0), Place(1)).value() == doctest::Approx(31.508e9).epsilon(0.001));
}

TEST_CASE("GPUs below different host bridges whose NUMA domains the system does not state: NODE is assumed and named") {
  Sysfs system;
  system.add("pci0000:00/0000:00:01.0/0000:03:00.0", kGpu, "0x10de", -1);
  system.add("pci0000:40/0000:40:01.0/0000:41:00.0", kGpu, "0x10de", 0);
  system.add("pci0000:80/0000:80:01.0/0000:81:00.0", kGpu, "0x10de", 1);
  const Topology machine = topology_of(gpus_on_bus(system.buses().string()));
  REQUIRE(machine.assumptions().size() == 1);
  CHECK(machine.assumptions()[0] ==
        "NODE between GPUs below different host bridges, whose NUMA domains the system does not state");
}

TEST_CASE("displays of management controllers and graphics inside the processor are no GPUs") {
  Sysfs system;
  system.add("pci0000:00/0000:00:02.0", "0x030000", "0x8086", 0, "0x3e96");
  system.add("pci0000:00/0000:00:08.1/0000:04:00.0", "0x030000", "0x1002", 0, "0x164e");
  system.add("pci0000:00/0000:00:09.0/0000:05:00.0", "0x030000", "0x1002", 0, "0x515e");
  system.add("pci0000:00/0000:00:01.0/0000:03:00.0", "0x030000", "0x8086", 0, "0x56a0");
  const std::vector<BusGpu> gpus = gpus_on_bus(system.buses().string());
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].pci.to_string() == "0000:03:00.0");
  CHECK(integrated_on_bus(system.buses().string()).size() == 2);
}

TEST_CASE("no buses, no GPUs") {
  CHECK(gpus_on_bus("/no/such/folder").empty());
}

TEST_CASE("the driver's bonds join the kernel's tree by bus id, and contradictions are reported") {
  Sysfs system;
  system.add("pci0000:00/0000:00:01.0/0000:03:00.0", kGpu, "0x10de", 0);
  system.add("pci0000:00/0000:00:02.0/0000:04:00.0", kGpu, "0x10de", 0);
  nvml::Report report;
  report.gpus = {{.index = 0, .bus_id = "00000000:04:00.0", .uuid = "GPU-four"},
                 {.index = 1, .bus_id = "00000000:03:00.0", .uuid = "GPU-three"}};
  report.gpus[0].links = {{.version = 4, .remote = nvml::Remote::gpu, .remote_bus_id = "00000000:03:00.0"}};
  report.gpus[1].links = {{.version = 4, .remote = nvml::Remote::gpu, .remote_bus_id = "00000000:04:00.0"}};
  report.ancestors.assign(4, nvml::Ancestor::system);
  report.peers.assign(4, nvml::PeerRead::possible);
  const Topology machine = merge(topology_of(gpus_on_bus(system.buses().string())), topology_of(report));
  for (const Place place : {Place(0), Place(1)}) {
    const Vertex& gpu = machine.vertex_of(place);
    CHECK(gpu.uuid == (gpu.pci->bus == 3 ? "GPU-three" : "GPU-four"));
  }
  CHECK(to_string(machine.path_class(Place(0), Place(1))) == "NV1");
  REQUIRE(machine.warnings().size() == 1);
  CHECK(machine.warnings()[0].find("sysfs") != std::string::npos);
  CHECK(machine.warnings()[0].find("nvml (as printed) says NV1 at 25 GB/s") != std::string::npos);
}
