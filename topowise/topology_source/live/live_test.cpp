// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/live/live.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/shared_library.hpp>
#include <topowise/topology_source/merge/place_subset.hpp>
#include <topowise/topology_source/node/on_node.hpp>
#include <topowise/topology_source/source.hpp>

using namespace topowise;

TEST_CASE("the driver's list of GPUs") {
  const std::vector<LiveGpu> gpus =
      parse_gpu_list("00000000:06:00.0, GPU-1b2c\n00000000:C6:00.0, GPU-3d4e\nNo devices were found\n");
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[1].pci.to_string() == "0000:c6:00.0");
  CHECK(gpus[1].uuid == "GPU-3d4e");
}

TEST_CASE("some places of a machine, in another order, with more known of them") {
  const Topology all = read_topology("preset:dgx1-v100");
  const Topology some =
      with_places(all, {{Place(3), PciAddress{0, 7, 0, 0}, "GPU-x"}, {Place(0), {}, {}}, {Place(5), {}, {}}});
  REQUIRE(some.place_count() == 3);
  CHECK(some.vertex_of(Place(0)).name == "GPU3");
  CHECK(some.vertex_of(Place(0)).uuid == "GPU-x");
  CHECK(to_string(some.path_class(Place(0), Place(1))) == "NV2");
  CHECK(to_string(some.path_class(Place(1), Place(2))) == "SYS");
  CHECK(some.bandwidth(Place(0), Place(1)).value() == 50e9);
}

namespace {

/// A folder with a program, which is first in PATH for the lifetime of the object.
class FakeProgram {
 public:
  FakeProgram(const std::string& name, const std::string& script)
      : folder_(std::filesystem::temp_directory_path() / ("topowise-fake-" + std::to_string(::getpid()))),
        old_path_(std::getenv("PATH")) {
    std::filesystem::create_directory(folder_);
    std::ofstream(folder_ / name) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
    ::setenv("PATH", (folder_.string() + ":" + old_path_).c_str(), 1);
  }
  FakeProgram(const FakeProgram&) = delete;
  FakeProgram& operator=(const FakeProgram&) = delete;
  ~FakeProgram() {
    ::setenv("PATH", old_path_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

 private:
  std::filesystem::path folder_;
  std::string old_path_;
};

}  // namespace

TEST_CASE("the driver's tool gives the GPUs of this machine their bonds, bus ids and UUIDs") {
  const FakeProgram tool(
      "nvidia-smi",
      "case $1 in\n"
      "topo) printf '\\tGPU0\\tGPU1\\tCPU Affinity\\nGPU0\\t X \\tNV4\\t0-1\\nGPU1\\tNV4\\t X \\t0-1\\n' ;;\n"
      "*) echo '00000000:F6:00.0, GPU-a'; echo '00000000:F7:00.0, GPU-b' ;;\n"
      "esac\n");
  const Topology here = read_topology("live");
  REQUIRE(here.place_count() == 2);
  CHECK(to_string(here.path_class(Place(0), Place(1))) == "NV4");
  CHECK(here.vertex_of(Place(0)).pci->to_string() == "0000:f6:00.0");
  CHECK(here.vertex_of(Place(1)).uuid == "GPU-b");
  if (const std::string host = host_or_empty(host_name()); !host.empty()) CHECK(here.vertex_of(Place(1)).node == host);
}

TEST_CASE("this machine is described, or it is said what is missing") {
  std::string reason;
  const bool has_hwloc = SharedLibrary::open(std::array<std::string, 1>{"libhwloc.so.15"}, reason).has_value();
  try {
    const Topology here = read_topology("live");
    CHECK(here.place_count() >= 1);
    if (const std::string host = host_or_empty(host_name()); !host.empty())
      CHECK(node_name(here, here.place(Place(0)).vertex) == host);
  } catch (const Error& error) {
    CHECK_FALSE(has_hwloc);
    CHECK(error.status() == ExitStatus::not_available);
  }
}
