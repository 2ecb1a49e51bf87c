// SPDX-License-Identifier: BSD-3-Clause
// The stand-in for the driver follows the real driver's rules, and the driver table reads it correctly.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <tests/lack.hpp>

#include <topowise/base/text.hpp>
#include <topowise/predict/congestion/simulate.hpp>
#include <topowise/topology_source/source.hpp>

namespace {

struct Scenario {
  std::string output;
  int status = 0;  ///< exit status, or 128 + signal
};

/// Plays a scenario of driver_calls.cpp; `environment` has "NAME=VALUE NAME=VALUE" in addition to the usual variables.
Scenario play(const std::string& scenario, const std::string& environment = {}) {
  const std::string command = fmt::format(
      "env -u CUDA_VISIBLE_DEVICES TOPOWISE_CUDA_LIBRARY={} TOPOWISE_HIP_LIBRARY=/nowhere "
      "TOPOWISE_FAKE_SESSION=cuda_test-{} {} {} {} 2>&1",
      TOPOWISE_FAKE_CUDA, ::getpid(), environment, TOPOWISE_PROGRAM, scenario);
  Scenario result;
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) result.output += buffer.data();
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

bool has(const Scenario& scenario, const std::string& line) {
  return ("\n" + scenario.output).find("\n" + line + "\n") != std::string::npos;
}

/// The number that follows a word at the beginning of a line.
double number_of(const Scenario& scenario, const std::string& word) {
  const std::size_t at = ("\n" + scenario.output).find("\n" + word + " ");
  if (at == std::string::npos) return -1;
  const std::string_view rest = std::string_view(scenario.output).substr(at + word.size() + 1);
  return topowise::parse_double(rest.substr(0, rest.find('\n'))).value_or(-1);
}

std::vector<std::string> device_lines(const Scenario& scenario) {
  std::vector<std::string> lines;
  for (const std::string_view line : topowise::split(scenario.output, '\n')) {
    if (line.find(" | ") != std::string_view::npos) lines.emplace_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("devices come from the topology and say that they are simulated") {
  const Scenario scenario = play("devices");
  CHECK(scenario.status == 0);
  const std::vector<std::string> lines = device_lines(scenario);
  REQUIRE(lines.size() == 16);
  CHECK(lines[10] ==
        "10 | SIMULATED helios-k80 GPU10 | GPU-51d0fa4e-0000-4000-8000-00000000000a | 0000:1a:00.0 | 1073741824");
  CHECK(has(scenario, "mps 0"));
  CHECK(has(scenario, "peers 0111111111111111"));
  CHECK(has(play("devices", "TOPOWISE_FAKE_MPS=1"), "mps 1"));
  // A preset with known bus ids keeps them.
  CHECK(device_lines(play("devices", "TOPOWISE_FAKE_NODE=preset:mi250x"))[1].find("0000:c6:00.0") != std::string::npos);
}

TEST_CASE("CUDA_VISIBLE_DEVICES chooses and orders") {
  const auto first = [](const std::string& visible) {
    const std::vector<std::string> lines = device_lines(play("devices", "CUDA_VISIBLE_DEVICES=" + visible));
    std::string names;
    for (const std::string& line : lines)
      names += line.substr(line.find("GPU"), line.find(" | GPU-") - line.find("GPU")) + " ";
    return names;
  };
  CHECK(first("3,1") == "GPU3 GPU1 ");
  CHECK(first("2,77,1") == "GPU2 ");  // entries after an unknown name do not count
  CHECK(first("GPU-51d0fa4e-0000-4000-8000-00000000000c,0") == "GPU12 GPU0 ");
  CHECK(first("GPU-51d0fa4e,0") == "");  // all UUIDs begin so
  const Scenario hidden = play("devices", "CUDA_VISIBLE_DEVICES=");
  CHECK(hidden.status == 4);
  CHECK(hidden.output.find("cuInit failed: CUDA_ERROR_NO_DEVICE") != std::string::npos);
  CHECK(play("devices", "CUDA_VISIBLE_DEVICES=1,1").status == 4);
}

TEST_CASE("of GPUs that are cut into parts one part is seen") {
  const Scenario any = play("devices", "TOPOWISE_FAKE_MIG=0:2");
  REQUIRE(device_lines(any).size() == 1);
  CHECK(any.output.find("GPU0 MIG | GPU-51d0fa4e-0001-4000-8000-000000000000") != std::string::npos);
  const Scenario named =
      play("devices", "TOPOWISE_FAKE_MIG=0:2,3:7 CUDA_VISIBLE_DEVICES=MIG-51d0fa4e-0005-4000-8000-000000000003");
  REQUIRE(device_lines(named).size() == 1);
  CHECK(named.output.find("GPU3 MIG") != std::string::npos);
}

TEST_CASE("peer access follows the matrix") {
  const Scenario pairs = play("devices", "CUDA_VISIBLE_DEVICES=0,1,2,3 TOPOWISE_FAKE_PEER=0-1,2-3");
  CHECK(pairs.output.find("peers 0100\npeers 1000\npeers 0001\npeers 0010\n") != std::string::npos);
  const Scenario none = play("copies", "TOPOWISE_FAKE_PEER=none");
  CHECK(none.status == 4);
  CHECK(none.output ==
        "error: cuCtxEnablePeerAccess failed on GPU 0: CUDA_ERROR_PEER_ACCESS_UNSUPPORTED "
        "(peer access is not supported between these two devices)\n");
}

TEST_CASE("copies arrive, late, and stay inside their allocation") {
  for (const char* delay : {"0", "3000"}) {
    const Scenario scenario = play("copies", fmt::format("TOPOWISE_FAKE_DELAY_US={}", delay));
    CHECK(scenario.status == 0);
    CHECK(scenario.output.find("same true") == 0);
    CHECK(has(scenario, "filled 0x1010101"));
    CHECK(has(scenario, "beyond CUDA_ERROR_INVALID_VALUE"));
    CHECK(has(scenario, "freed twice CUDA_ERROR_INVALID_VALUE"));
    CHECK(has(scenario, "too much CUDA_ERROR_OUT_OF_MEMORY"));
    CHECK(has(scenario, "taken 400000"));
  }
}

TEST_CASE("events order streams that are late by different times") {
  const Scenario scenario = play("events", "TOPOWISE_FAKE_DELAY_US=500 TOPOWISE_FAKE_SEED=7");
  CHECK(has(scenario, "ordered 50"));
  CHECK(has(scenario, "happened true in order true"));
  CHECK(has(scenario, "an event that was never recorded holds nobody"));
  CHECK(has(scenario, "timing between processes CUDA_ERROR_INVALID_HANDLE"));
}

TEST_CASE("what a pointer points to, and reused addresses told apart") {
  const Scenario scenario = play("pointers");
  CHECK(has(scenario, "driver 0 then true"));
  CHECK(has(scenario, "device memory: kind 2 device 1 offset 100 size 4096"));
  CHECK(has(scenario, "host memory: kind 0"));
  CHECK(has(scenario, "registered: kind 1"));
  CHECK(has(scenario, "reused true told apart true"));
}

TEST_CASE("the host can touch device memory only on a coherent node") {
  CHECK(play("touch").status != 0);
  const Scenario coherent = play("touch", "TOPOWISE_FAKE_COHERENT=1");
  CHECK(coherent.status == 0);
  CHECK(coherent.output == "7\n");
}

TEST_CASE("fold kernels read many vectors and write many, and the caller's context stays current") {
  const Scenario scenario = play("folds", "TOPOWISE_FAKE_DELAY_US=200 TOPOWISE_FAKE_TIMESLICE_US=100");
  CHECK(scenario.output == "folded true true\nbf16 true\nbeyond CUDA_ERROR_INVALID_VALUE\nselected 1\ncontext true\n");
}

TEST_CASE("a GPU of compute capability 8.0 or newer gets the kernels of bf16 from a module of their own") {
  // The second module that is loaded is refused: that of bf16, if it is another one.
  const std::string refused = "TOPOWISE_FAKE_FAULT=cuModuleLoadData:2:CUDA_ERROR_UNKNOWN";
  CHECK(has(play("folds", refused), "bf16 true"));
  CHECK(has(play("folds", refused + " TOPOWISE_FAKE_COMPUTE=8"), "bf16 false"));
  CHECK(has(play("folds", "TOPOWISE_FAKE_COMPUTE=9"), "bf16 true"));
}

TEST_CASE("memory and events between processes keep the driver's rules") {
  for (const char* delay : {"0", "2000"}) {
    const Scenario scenario = play("sharing", fmt::format("TOPOWISE_FAKE_DELAY_US={}", delay));
    CAPTURE(scenario.output);
    CHECK(has(scenario, "own CUDA_ERROR_INVALID_CONTEXT"));
    CHECK(has(scenario, "same address true as there false"));
    CHECK(has(scenario, "after the event 0x22222222"));
    CHECK(has(scenario, "still open 0x22222222"));
    CHECK(has(scenario, "freed there -0x24242425"));  // the poison value
    CHECK(has(scenario, "opened late CUDA_ERROR_INVALID_HANDLE"));
    CHECK(has(scenario, "closed CUDA_ERROR_INVALID_VALUE"));
    CHECK(has(scenario, "garbage CUDA_ERROR_INVALID_VALUE"));
    CHECK(has(scenario, "exporter 0"));
  }
  CHECK(play("sharing", "TOPOWISE_FAKE_FAULT=cuIpcOpenMemHandle:*:CUDA_ERROR_OPERATING_SYSTEM")
            .output.find("cuIpcOpenMemHandle_v2 failed on GPU 1: CUDA_ERROR_OPERATING_SYSTEM") != std::string::npos);
}

TEST_CASE("negative control: who waits for an event that all record, as in the paper, misses a copy that is late") {
  const Scenario scenario = play("one-event");
  CAPTURE(scenario.output);
  CHECK(has(scenario, "behind everyone's event 0x22222222 0x11111111"));
  CHECK(has(scenario, "their own has happened false"));
}

TEST_CASE("a paced copy takes the model's time, alone and beside another one" * doctest::test_suite("clock")) {
  using namespace topowise;
  constexpr double kScale = 20;
  // Times of the driver's events are the model's own, so they do not depend on how busy this machine is.
  const Scenario scenario = play("pace", fmt::format("TOPOWISE_FAKE_PACE=1 TOPOWISE_FAKE_PACE_SCALE={}", kScale));
  CAPTURE(scenario.output);
  const Topology node = read_topology("preset:helios-k80");
  CongestionModel model(node, CongestionModelName::automatic);
  RateMemo memo(model);
  std::vector<Place> same(16);
  for (std::size_t i = 0; i < same.size(); ++i) same[i] = Place(i);
  const Mapping identity{same};
  const Bytes size(64e6);
  const auto seconds = [&](std::vector<Communication> messages) {
    return kScale * simulate(memo, Exchange(std::move(messages)), identity).end.front().value();
  };
  CHECK(number_of(scenario, "near") == doctest::Approx(seconds({{Rank(0), Rank(1), size, {}}})).epsilon(0.01));
  CHECK(number_of(scenario, "far") == doctest::Approx(seconds({{Rank(0), Rank(15), size, {}}})).epsilon(0.01));
  const double two = seconds({{Rank(0), Rank(15), size, {}}, {Rank(1), Rank(14), size, {}}});
  CHECK(number_of(scenario, "two") == doctest::Approx(two).epsilon(0.01));
  CHECK(two > 1.5 * seconds({{Rank(0), Rank(15), size, {}}}));  // both copies leave their board by one link
}

TEST_CASE("every fault has the call, the GPU, the driver's name and a hint") {
  const auto fault = [](const std::string& text) { return play("failure", "TOPOWISE_FAKE_FAULT=" + text); };
  const Scenario memory = fault("cuMemAlloc:2:CUDA_ERROR_OUT_OF_MEMORY");
  CHECK(memory.status == 4);
  CHECK(memory.output ==
        "cuMemAlloc_v2 failed on GPU 2: CUDA_ERROR_OUT_OF_MEMORY (out of memory)\n'nvidia-smi' shows who holds the "
        "memory\n");
  CHECK(fault("cuMemAlloc:3:CUDA_ERROR_OUT_OF_MEMORY").output == "no failure\n");
  CHECK(fault("cuInit:1:CUDA_ERROR_SYSTEM_DRIVER_MISMATCH")
            .output.find("cuInit failed: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH") != std::string::npos);
  const Scenario lost = fault("'*:40+:CUDA_ERROR_UNKNOWN'");  // the fault comes while the devices are described
  CHECK(lost.status == 4);
  CHECK(lost.output.find("CUDA_ERROR_UNKNOWN (unknown error)\n'dmesg' shows whether the GPU fell off the bus") !=
        std::string::npos);
  CHECK(fault("cuMemAlloc:2").output.find("cannot read the fault 'cuMemAlloc:2'") != std::string::npos);
}

TEST_CASE("without a library the message says what was tried") {
  const Scenario scenario = play("failure", "TOPOWISE_CUDA_LIBRARY=/nowhere/libcuda.so.1");
  CHECK(scenario.status == 4);
  CHECK(scenario.output.find(
            "the cuda driver cannot be opened: /nowhere/libcuda.so.1: cannot open shared object file") == 0);
}

TEST_CASE("what a killed process left is cleared, and the last process removes the node") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("topowise-fake-test-{}", ::getpid());
  std::filesystem::create_directory(folder);
  const std::string here = "TOPOWISE_FAKE_FOLDER=" + folder.string();
  CHECK(play("crash", here).status == 7);
  CHECK(!std::filesystem::is_empty(folder));
  CHECK(has(play("copies", here), "taken 400000"));
  CHECK(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
  CHECK(play("copies", "TOPOWISE_FAKE_FOLDER=/nowhere").output.find("SIMULATED driver: cannot make '/nowhere/") == 0);
}

namespace {

Scenario play_hip(const std::string& scenario, const std::string& more = {}) {
  return play(scenario,
              fmt::format("TOPOWISE_CUDA_LIBRARY=/nowhere TOPOWISE_HIP_LIBRARY={} TOPOWISE_FAKE_NODE=preset:mi250x {}",
                          TOPOWISE_FAKE_HIP, more));
}

}  // namespace

TEST_CASE("kernels are compiled by hiprtc, for the GPU that will run them") {
  const Scenario folds = play_hip("folds");
  CHECK(has(folds, "folded true true"));
  CHECK(has(folds, "beyond hipErrorInvalidValue"));
  CHECK(has(folds, "selected 1"));
  const Scenario refused = play_hip("folds", "TOPOWISE_FAKE_FAULT=hiprtcCompileProgram:*:CUDA_ERROR_UNKNOWN");
  CHECK(refused.status == 4);
  CHECK(has(refused, "error: hiprtcCompileProgram failed: error 6: CompileSource:9:1: error: a fault was asked for"));
}

TEST_CASE("the same node under the names of HIP") {
  const Scenario devices = play_hip("devices");
  CHECK(has(devices, "hip 50200000"));
  CHECK(device_lines(devices).size() == 8);
  CHECK(play_hip("copies").output.find("same true") == 0);
  CHECK(has(play_hip("events"), "ordered 50"));
  const Scenario pointers = play_hip("pointers");
  CHECK(has(pointers, "device memory: kind 2 device 1 offset 100 size 4096"));
  CHECK(has(pointers, "registered: kind 1"));
  const Scenario sharing = play_hip("sharing");
  CHECK(has(sharing, "own hipErrorInvalidContext"));
  CHECK(has(sharing, "after the event 0x22222222"));
  const Scenario fresh = play_hip("fresh-thread");
  CHECK(has(fresh, "device 0"));
  CHECK(has(fresh, "made none"));
  CHECK(has(play("fresh-thread"), "made CUDA_ERROR_INVALID_CONTEXT"));
  const auto failure = [&](const std::string& fault) {
    return play_hip("failure", "TOPOWISE_FAKE_FAULT=" + fault).output;
  };
  CHECK(failure("cuMemAlloc:1:CUDA_ERROR_OUT_OF_MEMORY") ==
        "hipMalloc failed on GPU 2: hipErrorOutOfMemory (out of memory)\n"
        "'rocm-smi --showpids' shows who holds the memory\n");
  CHECK(failure("cuInit:1:CUDA_ERROR_NO_DEVICE").find("ROCR_VISIBLE_DEVICES may hide them\n") != std::string::npos);
  CHECK(failure("cuInit:1:CUDA_ERROR_ECC_UNCORRECTABLE").find("'rocm-smi --showrasinfo all'\n") != std::string::npos);
  CHECK(failure("cuInit:1:CUDA_ERROR_UNKNOWN").find("\nlook into 'dmesg' for messages of amdgpu\n") !=
        std::string::npos);
}
