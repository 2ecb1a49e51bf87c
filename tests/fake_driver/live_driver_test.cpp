// SPDX-License-Identifier: BSD-3-Clause
// `live` where there is a driver but no management library: child processes ask the stand-ins for CUDA and HIP.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/device/cuda.hpp>
#include <topowise/topology_source/live/driver_gpus.hpp>
#include <topowise/topology_source/live/live.hpp>
#include <topowise/topology_source/source.hpp>

using namespace topowise;
namespace fs = std::filesystem;

namespace {

/// Sets variables for the length of a test: there is no management library and no vendor's program. The stand-in's
/// files are in a folder that is removed with the object.
class Setting {
 public:
  explicit Setting(std::map<std::string, std::string> variables)
      : folder_(fs::temp_directory_path() / ("topowise-live-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    variables.insert({"TOPOWISE_NVML_LIBRARY", "/no/such/libnvidia-ml.so"});
    variables.insert({"TOPOWISE_CUDA_LIBRARY", "/no/such/libcuda.so"});
    variables.insert({"TOPOWISE_HIP_LIBRARY", "/no/such/libamdhip64.so"});
    variables.insert({"TOPOWISE_FAKE_FOLDER", folder_.string()});
    variables.insert({"PATH", folder_.string()});
    for (const auto& [name, value] : variables) {
      const char* old = std::getenv(name.c_str());
      before_[name] = old != nullptr ? std::optional<std::string>(old) : std::nullopt;
      ::setenv(name.c_str(), value.c_str(), 1);
    }
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() {
    for (const auto& [name, value] : before_) {
      if (value)
        ::setenv(name.c_str(), value->c_str(), 1);
      else
        ::unsetenv(name.c_str());
    }
    fs::remove_all(folder_);
  }

 private:
  fs::path folder_;
  std::map<std::string, std::optional<std::string>> before_;
};

bool warns(const Topology& machine, std::string_view words) {
  return std::ranges::any_of(machine.warnings(),
                             [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

/// Whether the pairs of both machines have the same order by distance.
bool same_order(const Topology& a, const Topology& b) {
  const std::size_t n = a.place_count();
  for (std::size_t first = 0; first < n * n; ++first) {
    for (std::size_t second = 0; second < n * n; ++second) {
      const auto nearer = [&](const Topology& machine) {
        const int x = machine.level(Place(first / n), Place(first % n));
        const int y = machine.level(Place(second / n), Place(second % n));
        return (x > y) - (x < y);
      };
      if (nearer(a) != nearer(b)) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("CUDA's order of the pairs is the machine's") {
  for (const char* name : {"preset:helios-k80", "preset:dgx1-v100", "preset:perlmutter-a100", "preset:dgx-a100"}) {
    CAPTURE(name);
    const Setting setting({{"TOPOWISE_CUDA_LIBRARY", TOPOWISE_FAKE_CUDA}, {"TOPOWISE_FAKE_NODE", name}});
    const Topology stated = read_topology(name);
    const Topology live = read_topology("live");
    REQUIRE(live.place_count() == stated.place_count());
    CHECK(same_order(live, stated));
    CHECK(live.name().find("SIMULATED") != std::string::npos);
    CHECK(live.vertex_of(Place(3)).uuid == "GPU-51d0fa4e-0000-4000-8000-000000000003");
    CHECK(live.vertex_of(Place(3)).pci->to_string() == "0000:13:00.0");
    CHECK(warns(live, "the GPUs are known by the cuda driver alone"));
  }
}

TEST_CASE("bonds have a width by their order, and it is said that nobody counted it") {
  const Setting setting({{"TOPOWISE_CUDA_LIBRARY", TOPOWISE_FAKE_CUDA}, {"TOPOWISE_FAKE_NODE", "preset:dgx1-v100"}});
  const Topology live = read_topology("live");
  CHECK(to_string(live.path_class(Place(0), Place(3))) == "NV2");
  CHECK(to_string(live.path_class(Place(0), Place(1))) == "NV1");
  CHECK(to_string(live.path_class(Place(0), Place(5))) == "M1");
  CHECK(warns(live, "NV2 is only faster than NV1"));
  CHECK(warns(live, "all pairs without a bond are taken to be alike"));
  CHECK(std::ranges::count(live.assumptions(), "all pairs without a bond are alike") == 1);
  CHECK(live.link(live.route(Place(0), Place(3)).front()).source == "cuda SIMULATED (nominal)");
}

TEST_CASE("HIP distinguishes xGMI from PCI Express") {
  const Setting setting({{"TOPOWISE_HIP_LIBRARY", TOPOWISE_FAKE_HIP}, {"TOPOWISE_FAKE_NODE", "preset:mi250x"}});
  const Topology live = read_topology("live");
  REQUIRE(live.place_count() == 8);
  CHECK(to_string(live.path_class(Place(0), Place(1))) == "XGMI3");
  CHECK(to_string(live.path_class(Place(0), Place(2))) == "XGMI1");
  CHECK(warns(live, "AMD's programs do not answer: the GPUs are known by the hip driver alone"));
}

TEST_CASE("lists of visible devices hide nothing of the node, and this process's driver still goes by its own") {
  const Setting setting({{"TOPOWISE_CUDA_LIBRARY", TOPOWISE_FAKE_CUDA},
                         {"TOPOWISE_FAKE_NODE", "preset:perlmutter-a100"},
                         {"CUDA_VISIBLE_DEVICES", "1"}});
  CHECK(read_topology("live:node").place_count() == 4);
  const Topology share = read_topology("live");
  REQUIRE(share.place_count() == 1);
  CHECK(share.vertex_of(Place(0)).name == "GPU1");
  CHECK(warns(share, "1 of 4 GPUs are this job's (CUDA_VISIBLE_DEVICES): GPU1"));
  CHECK(std::string(std::getenv("CUDA_VISIBLE_DEVICES")) == "1");
}

TEST_CASE("the tree of the bus and the driver's bonds are one machine") {
  const Setting setting(
      {{"TOPOWISE_CUDA_LIBRARY", TOPOWISE_FAKE_CUDA}, {"TOPOWISE_FAKE_NODE", "preset:perlmutter-a100"}});
  std::vector<BusGpu> bus;
  for (int i = 0; i < 4; ++i) {
    BusGpu gpu{.pci = *PciAddress::parse("0000:1" + std::to_string(i) + ":00.0"), .vendor = kNvidiaVendor};
    gpu.numa = i / 2;
    gpu.root = i < 2 ? "pci0000:00" : "pci0000:80";
    gpu.bridges = {PciAddress{0, static_cast<std::uint8_t>(i), 0, 0}};
    bus.push_back(gpu);
  }
  const DriverAnswer answer = ask_driver(device::cuda_backend(), bus);
  REQUIRE(answer.topology);
  CHECK(answer.topology->vertex_of(Place(3)).numa == 1);
  CHECK(to_string(answer.topology->path_class(Place(0), Place(1))) == "NV1");
  CHECK_FALSE(warns(*answer.topology, "PCI tree is not known"));
}

TEST_CASE("what a driver refuses is said") {
  const auto refused = [](const char* fault) {
    const Setting setting({{"TOPOWISE_CUDA_LIBRARY", TOPOWISE_FAKE_CUDA},
                           {"TOPOWISE_FAKE_NODE", "preset:perlmutter-a100"},
                           {"TOPOWISE_FAKE_FAULT", fault}});
    return ask_driver(device::cuda_backend(), {});
  };
  CHECK(refused("cuInit:1:CUDA_ERROR_NOT_PERMITTED").reason.find("CUDA_ERROR_NOT_PERMITTED") != std::string::npos);
  CHECK(refused("cuDeviceGetCount:1:CUDA_ERROR_UNKNOWN").reason.find("cuDeviceGetCount") != std::string::npos);
  const DriverAnswer unjoined = refused("cuDeviceGetP2PAttribute:*:CUDA_ERROR_UNKNOWN");
  REQUIRE(unjoined.topology);
  CHECK(warns(*unjoined.topology, "does not say how the GPUs are joined: cuDeviceGetP2PAttribute"));
  CHECK(unjoined.topology->levels().size() == 1);
}

TEST_CASE("pairs without peer access are reported") {
  const Setting setting({{"TOPOWISE_CUDA_LIBRARY", TOPOWISE_FAKE_CUDA},
                         {"TOPOWISE_FAKE_NODE", "preset:perlmutter-a100"},
                         {"TOPOWISE_FAKE_PEER", "0-1"}});
  const Topology live = read_topology("live");
  CHECK(warns(live, "5 of 6 pairs of GPUs cannot read each other's memory (GPU0-GPU2, GPU0-GPU3, "));
  CHECK(to_string(live.path_class(Place(0), Place(1))) == "NV1");
  CHECK(to_string(live.path_class(Place(0), Place(2))) == "M1");
}

TEST_CASE("without a library it is said what is missing") {
  const Setting setting({});
  const LiveMachine found = look_around("/no/such/folder");
  CHECK(found.gpus.empty());
  CHECK(std::ranges::any_of(found.missing, [](const std::string& text) {
    return text.find("the hip driver cannot be opened") != std::string::npos;
  }));
  CHECK(found.limits.empty());
  CHECK(std::ranges::any_of(found.warnings, [](const std::string& text) {  // a library that the user has named
    return text.find("the hip driver cannot be opened") != std::string::npos;
  }));
}

TEST_CASE("GPUs of two vendors, each known by its driver, are one node") {
  const Setting setting({{"TOPOWISE_CUDA_LIBRARY", TOPOWISE_FAKE_CUDA},
                         {"TOPOWISE_HIP_LIBRARY", TOPOWISE_FAKE_HIP},
                         {"TOPOWISE_FAKE_NODE", "preset:perlmutter-a100"},
                         {"TOPOWISE_FAKE_HIP_NODE", "preset:mi250x"}});
  const Topology live = read_topology("live");
  REQUIRE(live.place_count() == 12);
  CHECK(live.vertex_of(Place(3)).name == "NVIDIA GPU3");
  CHECK(live.vertex_of(Place(4)).name == "AMD GPU0");
  CHECK(to_string(live.path_class(Place(0), Place(1))) == "NV1");
  CHECK(to_string(live.path_class(Place(4), Place(5))) == "XGMI3");
  CHECK(to_string(live.path_class(Place(0), Place(4))) == "SYS");
  CHECK_FALSE(live.route(Place(0), Place(4)).empty());
  CHECK(warns(live, "GPUs of several vendors are in one node (AMD, NVIDIA)"));
  CHECK(warns(live, "no source says how the GPUs of"));
  CHECK(warns(live, "known by the cuda driver alone"));
  CHECK(warns(live, "known by the hip driver alone"));
}
