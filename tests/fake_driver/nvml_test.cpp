// SPDX-License-Identifier: BSD-3-Clause
// From NVML to a topology, on the stand-in: the result must be what the preset says.
#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/device/nvml.hpp>
#include <topowise/topology_source/live/live.hpp>
#include <topowise/topology_source/live/nvml_gpus.hpp>
#include <topowise/topology_source/source.hpp>

using namespace topowise;
namespace fs = std::filesystem;

namespace {

/// The stand-in reads its environment at every start, so every test has its own.
class Setting {
 public:
  Setting(const char* node, const char* name = nullptr, const char* value = "") : name_(name) {
    ::setenv("TOPOWISE_NVML_LIBRARY", TOPOWISE_FAKE_NVML, 1);
    ::setenv("TOPOWISE_FAKE_NODE", node, 1);
    if (name_ != nullptr) ::setenv(name_, value, 1);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() {
    ::unsetenv("TOPOWISE_NVML_LIBRARY");
    ::unsetenv("TOPOWISE_FAKE_NODE");
    if (name_ != nullptr) ::unsetenv(name_);
  }

 private:
  const char* name_;
};

bool tells(const std::vector<std::string>& problems, std::string_view words) {
  return std::ranges::any_of(problems, [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("every preset of NVIDIA's comes back with its classes") {
  for (const char* name : {"preset:helios-k80", "preset:dgx1-v100", "preset:dgx1-p100", "preset:dgx2",
                           "preset:dgx-a100", "preset:a100-pcie-bridge8", "preset:perlmutter-a100"}) {
    CAPTURE(name);
    const Setting setting(name);
    const Topology stated = read_topology(name);
    const Topology live = topology_of(nvml::ask());
    REQUIRE(live.place_count() == stated.place_count());
    for (std::size_t a = 0; a < live.place_count(); ++a) {
      for (std::size_t b = 0; b < live.place_count(); ++b) {
        CHECK(to_string(live.path_class(Place(a), Place(b))) == to_string(stated.path_class(Place(a), Place(b))));
      }
    }
  }
}

TEST_CASE("the bandwidth of NVLinks comes from their versions") {
  const Setting setting("preset:dgx1-v100");
  const Topology live = topology_of(nvml::ask());
  CHECK(live.bandwidth(Place(0), Place(3)).value() == 50e9);
  CHECK(live.bandwidth(Place(0), Place(1)).value() == 25e9);
}

TEST_CASE("a GPU that may not be opened is left out, the others stay") {
  const Setting setting("preset:dgx1-v100", "TOPOWISE_FAKE_NVML_FAULT",
                        "nvmlDeviceGetHandleByIndex:3:NVML_ERROR_NO_PERMISSION");
  const nvml::Report report = nvml::ask();
  CHECK(report.gpus.size() == 7);
  CHECK(tells(report.problems, "GPU 2 is left out: NVML says 'Insufficient Permissions'"));
}

TEST_CASE("a GPU that is lost answers nothing and stops nothing") {
  const Setting setting("preset:perlmutter-a100", "TOPOWISE_FAKE_NVML_FAULT",
                        "nvmlDeviceGetTopologyCommonAncestor:*:NVML_ERROR_GPU_IS_LOST");
  const nvml::Report report = nvml::ask();
  CHECK(report.gpus.size() == 4);
  CHECK(report.ancestor(0, 1) == nvml::Ancestor::unknown);
  CHECK(tells(report.problems, "GPU is lost"));
}

TEST_CASE("partitions and refused peers are seen") {
  const Setting setting("preset:perlmutter-a100", "TOPOWISE_FAKE_MIG", "1:3");
  const nvml::Report report = nvml::ask();
  CHECK(report.gpus[0].mig == false);
  CHECK(report.gpus[1].mig == true);
  CHECK(report.gpus[1].mig_ids.size() == 3);
}

TEST_CASE("who computes on a GPU is counted, and the server of MPS is not") {
  const Setting setting("preset:perlmutter-a100", "TOPOWISE_FAKE_BUSY", "1,3");
  CHECK(nvml::ask().gpus[1].processes == 1);
  CHECK(nvml::ask().gpus[2].processes == 0);
  const pid_t server = ::fork();
  if (server == 0) {
    ::prctl(PR_SET_NAME, "nvidia-cuda-mps-server");
    ::pause();
  }
  std::string name;
  while (name != "nvidia-cuda-mps") std::getline(std::ifstream("/proc/" + std::to_string(server) + "/comm"), name);
  ::setenv("TOPOWISE_FAKE_BUSY_PROCESS", std::to_string(server).c_str(), 1);
  CHECK(nvml::ask().gpus[1].processes == 0);
  ::unsetenv("TOPOWISE_FAKE_BUSY_PROCESS");
  ::kill(server, SIGKILL);
  ::waitpid(server, nullptr, 0);
}

TEST_CASE("a library that does not start, or is none, is not available") {
  SUBCASE("no driver") {
    const Setting setting("preset:dgx1-v100", "TOPOWISE_FAKE_NVML_FAULT", "nvmlInit:1:NVML_ERROR_DRIVER_NOT_LOADED");
    CHECK_THROWS_WITH_AS((void)nvml::ask(), "NVML does not start: driver not loaded", Error);
  }
  SUBCASE("no file") {
    const Setting setting("preset:dgx1-v100", "TOPOWISE_NVML_LIBRARY", "/no/such/library.so");
    try {
      (void)nvml::ask();
      FAIL("an answer without a library");
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::not_available);
    }
  }
}

TEST_CASE("a container that keeps GPUs back is noticed by what is on the bus") {
  const fs::path folder = fs::temp_directory_path() / ("topowise-bus-" + std::to_string(::getpid()));
  for (const char* gpu : {"0000:10:00.0", "0000:11:00.0", "0000:12:00.0", "0000:13:00.0"}) {
    fs::create_directories(folder / gpu);
    std::ofstream(folder / gpu / "class") << "0x030200\n";
    std::ofstream(folder / gpu / "vendor") << "0x10de\n";
  }
  {
    const Setting setting("preset:perlmutter-a100", "TOPOWISE_FAKE_NVML_FAULT",
                          "nvmlDeviceGetHandleByIndex:2:NVML_ERROR_NO_PERMISSION,"
                          "nvmlDeviceGetHandleByIndex:4:NVML_ERROR_NO_PERMISSION");
    const LiveMachine found = look_around(folder.string());
    CHECK(found.gpus.size() == 2);
    CHECK(tells(found.warnings, "4 NVIDIA GPUs are on the bus, 2 may be used here"));
    REQUIRE(found.bus);
    CHECK(found.bus->place_count() == 4);
  }
  {
    const Setting setting("preset:perlmutter-a100", "TOPOWISE_NVML_LIBRARY", "/no/such/library.so");
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", folder.c_str(), 1);  // nor any program of a vendor
    const LiveMachine found = look_around(folder.string());
    ::setenv("PATH", path.c_str(), 1);
    CHECK(tells(found.missing, "NVML cannot be loaded: /no/such/library.so"));
    CHECK(tells(found.warnings, "neither NVML nor nvidia-smi nor the driver knows anything of them"));
  }
  fs::remove_all(folder);
}

TEST_CASE("live:node asks the library, and CUDA_VISIBLE_DEVICES hides nothing from it") {
  const Setting setting("preset:dgx1-v100", "CUDA_VISIBLE_DEVICES", "0,1");
  const Topology live = read_topology("live:node");
  CHECK(live.place_count() == 8);
  CHECK(to_string(live.path_class(Place(0), Place(3))) == "NV2");
  CHECK(live.name().find("SIMULATED") != std::string::npos);
}

TEST_CASE("live is what the job has: lists of visible devices and of the batch system, by number or UUID") {
  const auto names = [](const char* variable, const std::string& value) {
    const Setting setting("preset:dgx1-v100", variable, value.c_str());
    const Topology live = read_topology("live");
    std::string all;
    for (std::size_t p = 0; p < live.place_count(); ++p) all += live.vertex_of(Place(p)).name.substr(3);
    return all;
  };
  CHECK(names("CUDA_VISIBLE_DEVICES", "5,1") == "15");
  CHECK(names("SLURM_JOB_GPUS", "3,4,5,6") == "3456");
  CHECK(names("SLURM_STEP_GPUS", "7") == "7");
  CHECK(names("SGE_HGR_gpu", "gpu0 gpu2") == "02");
  CHECK(names("CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7") == "01234567");
  const Setting setting("preset:dgx1-v100");
  const std::string uuid = read_topology("live").vertex_of(Place(2)).uuid;
  CHECK(names("CUDA_VISIBLE_DEVICES", uuid) == "2");
}
