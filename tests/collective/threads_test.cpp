// SPDX-License-Identifier: BSD-3-Clause
// Ranks run as threads of one process (allreduce_ranks ... threads) on a simulated driver, whose streams are threads
// too. The code is the same as between processes, but ThreadSanitizer sees every access to the directory, to shared
// host memory and to the memory of the simulated GPUs. It reports on stderr and in the exit status. The test suite
// "wide" has all combinations; the other tests have examples of them.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/collective/plan/algorithms.hpp>
#include <topowise/device/folds.hpp>

using namespace topowise;

namespace {

struct Told {
  std::string all;
  std::vector<std::string> ranks;  ///< "done 114, ...", in any order
  int status = -1;
};

Told play(const std::string& scenario, int ranks, int gpus, std::string_view algorithm, const std::string& fault = {},
          const std::string& environment = {}) {
  const std::string command = fmt::format(
      "env -u CUDA_VISIBLE_DEVICES TOPOWISE_CUDA_LIBRARY={} TOPOWISE_HIP_LIBRARY=/nowhere "
      "TOPOWISE_FAKE_SESSION=threads-{} {} {} {} {} {} {} '{}' 0 threads 2>&1",
      TOPOWISE_FAKE_CUDA, ::getpid(), environment, TOPOWISE_PROGRAM, scenario, ranks, gpus, algorithm, fault);
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Told told;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) told.all += buffer.data();
  told.status = ::pclose(pipe);
  for (const std::string_view line : split(told.all, '\n'))
    if (line.starts_with("rank ") && line.find(": done ") != std::string_view::npos)
      told.ranks.emplace_back(line.substr(line.find(": done ") + 2));
  return told;
}

bool has_kernels() {
  if (device::fold_image() != nullptr) return true;
  MESSAGE("SKIPPED: built with TOPOWISE_KERNELS=OFF");
  return false;
}

void check_all(const std::string& scenario, int ranks, int gpus, std::string_view algorithm,
               const std::string& expected, const std::string& environment = {}) {
  const Told told = play(scenario, ranks, gpus, algorithm, {}, environment);
  CAPTURE(scenario);
  CAPTURE(algorithm);
  CAPTURE(ranks);
  CAPTURE(gpus);
  CAPTURE(told.all);
  CHECK(told.status == 0);
  CHECK(told.ranks.size() == static_cast<std::size_t>(ranks));
  for (const std::string& line : told.ranks) CHECK(line.starts_with(expected));
}

constexpr const char* kEverything = "done 114, through MPI 0, failed 0, wrong 0;";
constexpr const char* kCollectives = "done 45, through MPI 0, failed 0, wrong 0;";
constexpr const char* kSeveral = "done 12, through MPI 0, failed 0, wrong 0;";

/// "done 3, through MPI 8, failed 1, wrong 0; ..." -> 3, 8, 1, 0
std::array<int, 4> numbers_of(const std::string& line) {
  std::array<int, 4> numbers{};
  const int found = std::sscanf(line.c_str(), "done %d, through MPI %d, failed %d, wrong %d", &numbers[0], &numbers[1],
                                &numbers[2], &numbers[3]);
  REQUIRE(found == 4);
  return numbers;
}

/// Checks a failure anywhere in the driver: the same call fails at all ranks, all later calls go through MPI, and all
/// earlier results are right.
void check_fault(std::string_view algorithm, int ranks, int gpus, const std::string& fault) {
  const Told told = play("several", ranks, gpus, algorithm, fault);
  CAPTURE(algorithm);
  CAPTURE(fault);
  CAPTURE(told.all);
  CHECK(told.status == 0);
  REQUIRE(told.ranks.size() == static_cast<std::size_t>(ranks));
  const std::array<int, 4> first = numbers_of(told.ranks[0]);
  CHECK(first[2] <= 1);
  CHECK(first[3] == 0);
  for (const std::string& line : told.ranks) CHECK(numbers_of(line) == first);
}

}  // namespace

TEST_CASE("by all algorithms, on one GPU and on several") {
  if (!has_kernels()) return;
  for (const collective::CollectiveAlgorithm& algorithm : collective::algorithms()) {
    check_all("several", 3, 2, algorithm.name, kSeveral, "TOPOWISE_FAKE_DELAY_US=20");
    check_all("several", 5, 4, algorithm.name, kSeveral);
  }
  for (const char* algorithm : {"leader-fused", "ring"}) check_all("everything", 3, 2, algorithm, kEverything);
  check_all("collectives", 4, 2, "auto", kCollectives, "TOPOWISE_FAKE_DELAY_US=20");
  check_all("several", 16, 8, "auto", kSeveral);
  check_all("mixed", 4, 2, "auto", "done 12, through MPI 28, failed 0, wrong 0;", "TOPOWISE_FAKE_DELAY_US=100");
  check_all("groups", 3, 2, "auto", kSeveral);
}

TEST_CASE("where a call of the driver fails") {
  if (!has_kernels()) return;
  check_fault("leader-fused", 3, 1, "cuLaunchKernel:5:CUDA_ERROR_ILLEGAL_ADDRESS");
  check_fault("ring", 4, 4, "cuMemcpyAsync:30:CUDA_ERROR_ILLEGAL_ADDRESS");
  check_fault("staged-host", 3, 2, "cuMemcpyDtoHAsync:40:CUDA_ERROR_LAUNCH_FAILED");
}

TEST_CASE("after an error no other rank writes into the buffers that the call was given") {
  if (!has_kernels()) return;
  for (const char* algorithm : {"one-shot", "two-shot", "ring"}) {
    const Told told =
        play("abandoned", 4, 2, algorithm, "cuLaunchKernel:5:CUDA_ERROR_LAUNCH_FAILED", "TOPOWISE_FAKE_DELAY_US=5000");
    CAPTURE(algorithm);
    CAPTURE(told.all);
    CHECK(told.status == 0);
    REQUIRE(told.ranks.size() == 4);
    for (const std::string& line : told.ranks) CHECK(numbers_of(line)[3] == 0);
  }
}

TEST_CASE("1 to 16 ranks on 1, 2, 4 and 8 GPUs, by all algorithms, some late" * doctest::test_suite("wide")) {
  if (!has_kernels()) return;
  for (const collective::CollectiveAlgorithm& algorithm : collective::algorithms()) {
    for (int ranks = 1; ranks <= 16; ++ranks) {
      for (const int gpus : {1, 2, 4, 8}) {
        if (gpus > ranks) continue;
        const std::string late = fmt::format("TOPOWISE_FAKE_DELAY_US=30 TOPOWISE_FAKE_SEED={}", ranks * 8 + gpus);
        check_all("several", ranks, gpus, algorithm.name, kSeveral, late);
      }
    }
    for (const int ranks : {2, 5, 8}) check_all("everything", ranks, 2, algorithm.name, kEverything);
    check_all("collectives", 5, 4, algorithm.name, kCollectives, "TOPOWISE_FAKE_DELAY_US=20");
  }
}

TEST_CASE("every call of the driver fails once" * doctest::test_suite("wide")) {
  if (!has_kernels()) return;
  for (const collective::CollectiveAlgorithm& algorithm : collective::algorithms()) {
    for (const char* call : {"cuLaunchKernel", "cuMemcpyAsync", "cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync",
                             "cuStreamSynchronize", "cuMemAlloc", "cuIpcGetMemHandle", "cuModuleLoadData"}) {
      for (const int when : {5, 9, 20, 45})
        check_fault(algorithm.name, 4, 4, fmt::format("{}:{}:CUDA_ERROR_LAUNCH_FAILED", call, when));
    }
  }
}
