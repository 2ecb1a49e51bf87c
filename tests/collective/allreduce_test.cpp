// SPDX-License-Identifier: BSD-3-Clause
// Real processes run collectives on a simulated driver: the tests check the results, and what happens when something
// fails. The test suite "wide" has all combinations; the other tests have examples of them.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/collective/plan/algorithms.hpp>
#include <topowise/device/folds.hpp>

using namespace topowise;

namespace {

/// The lines that the ranks of allreduce_ranks print, by rank, and their exit statuses.
struct Scenario {
  std::vector<std::string> ranks;
  std::string statuses;
  std::string all;
};

/// The folder for the simulated GPUs' memory: files that killed processes leave are removed with it.
class Folder {
 public:
  Folder() : path_("/dev/shm/allreduce_test-XXXXXX") { REQUIRE(::mkdtemp(path_.data()) != nullptr); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The program built with sanitizers, if the environment names it.
const char* usual_program() {
  const char* other = std::getenv("TOPOWISE_ALLREDUCE_PROGRAM");
  return other == nullptr ? TOPOWISE_PROGRAM : other;
}

/// Whether the processes use the stand-in for HIP, and not that for CUDA.
bool on_hip() {
  const char* driver = std::getenv("TOPOWISE_TEST_DRIVER");
  return driver != nullptr && std::string_view(driver) == "hip";
}

std::string libraries() {
  if (on_hip()) return "TOPOWISE_CUDA_LIBRARY=/nowhere TOPOWISE_HIP_LIBRARY=" TOPOWISE_FAKE_HIP;
  return "TOPOWISE_HIP_LIBRARY=/nowhere TOPOWISE_CUDA_LIBRARY=" TOPOWISE_FAKE_CUDA;
}

Scenario play(const std::string& scenario, int ranks, int gpus, std::string_view algorithm,
              const std::string& fault = {}, int faulty = 0, const std::string& environment = {},
              const char* program = usual_program()) {
  const Folder folder;
  const std::string command =
      fmt::format("env -u CUDA_VISIBLE_DEVICES {} TOPOWISE_FAKE_FOLDER={} {} {} {} {} {} {} '{}' {} 2>&1", libraries(),
                  folder.path(), environment, program, scenario, ranks, gpus, algorithm, fault, faulty);
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Scenario result;
  result.ranks.resize(static_cast<std::size_t>(ranks));
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) result.all += buffer.data();
  ::pclose(pipe);
  for (const std::string_view line : split(result.all, '\n')) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("statuses ")) result.statuses = line.substr(9);
    if (!line.starts_with("rank ") || colon == std::string_view::npos) continue;
    const auto rank = parse_integer(line.substr(5, colon - 5));
    if (rank && *rank < ranks) result.ranks[static_cast<std::size_t>(*rank)] = line.substr(colon + 2);
  }
  return result;
}

/// "done 3, through MPI 0, failed 1, wrong 0;": the beginning of a rank's line.
std::string_view tally_of(const std::string& line) {
  return std::string_view(line).substr(0, line.find(';') + 1);
}

/// "0 0 0"
std::string all_zero(int ranks) {
  std::string text = "0";
  for (int rank = 1; rank < ranks; ++rank) text += " 0";
  return text;
}

bool has_kernels() {
  if (device::fold_image() != nullptr) return true;
  MESSAGE("SKIPPED: built with TOPOWISE_KERNELS=OFF");
  return false;
}

constexpr int kCombinations = 114;  ///< number of operations and types in the scenario "everything"

void check_everything(std::string_view algorithm, int ranks, int gpus, const std::string& environment) {
  const Scenario scenario = play("everything", ranks, gpus, algorithm, {}, 0, environment);
  CAPTURE(algorithm);
  CAPTURE(ranks);
  CAPTURE(gpus);
  CAPTURE(scenario.all);
  CHECK(scenario.statuses == all_zero(ranks));
  for (const std::string& line : scenario.ranks)
    CHECK(line == fmt::format("done {0}, through MPI 0, failed 0, wrong 0; {1} {0}", kCombinations, algorithm));
}

}  // namespace

TEST_CASE("all operations on all types, by all algorithms, with 1 to 16 ranks on 1 to 8 GPUs") {
  if (!has_kernels()) return;
  for (const collective::CollectiveAlgorithm& algorithm : collective::algorithms()) {
    for (const auto& [ranks, gpus] :
         {std::pair(1, 1), std::pair(2, 1), std::pair(3, 2), std::pair(5, 4), std::pair(16, 8)})
      check_everything(algorithm.name, ranks, gpus, {});
  }
}

TEST_CASE("the same with 1, 2, 3, 5, 8 and 16 ranks on 1, 2, 4 and 8 GPUs each" * doctest::test_suite("wide")) {
  if (!has_kernels()) return;
  for (const collective::CollectiveAlgorithm& algorithm : collective::algorithms()) {
    for (const int ranks : {1, 2, 3, 5, 8, 16}) {
      for (const int gpus : {1, 2, 4, 8})
        if (gpus == 1 || gpus <= ranks) check_everything(algorithm.name, ranks, gpus, {});
    }
  }
}

void check_collectives(std::initializer_list<std::pair<int, int>> shapes) {
  if (!has_kernels()) return;
  for (const char* algorithm : {"auto", "staged-host", "leader-fused", "ring"}) {
    for (const auto& [ranks, gpus] : shapes) {
      const Scenario scenario = play("collectives", ranks, gpus, algorithm, {}, 0, "TOPOWISE_FAKE_DELAY_US=20");
      CAPTURE(algorithm);
      CAPTURE(scenario.all);
      CHECK(scenario.statuses == all_zero(ranks));
      for (const std::string& line : scenario.ranks)
        CHECK(line.starts_with("done 45, through MPI 0, failed 0, wrong 0;"));
    }
  }
}

TEST_CASE("every collective from every root, with its results compared byte by byte") {
  check_collectives({{1, 1}, {3, 2}, {8, 4}});
}

TEST_CASE("the same with other numbers of ranks and GPUs" * doctest::test_suite("wide")) {
  check_collectives({{2, 1}, {5, 1}, {8, 8}, {16, 8}});
}

TEST_CASE("vectors are combined in the order that the documentation states for each algorithm") {
  if (!has_kernels()) return;
  // How many results are those of the order of the ranks as well shows that the order matters.
  const auto in_order = [](std::string_view algorithm, int ranks, int gpus) {
    const Scenario scenario = play("order", ranks, gpus, algorithm, {}, 0, "TOPOWISE_FAKE_DELAY_US=20");
    CAPTURE(algorithm);
    CAPTURE(scenario.all);
    CHECK(scenario.statuses == all_zero(ranks));
    for (const std::string& line : scenario.ranks)
      CHECK(line.find("through MPI 0, failed 0, wrong 0;") != std::string::npos);
    const std::string& first = scenario.ranks[0];
    const std::size_t at = first.find(" | ");
    REQUIRE(at != std::string::npos);
    return std::stoi(first.substr(at + 3));
  };
  constexpr int kAllreduces = 32;
  constexpr int kOthers = 8;  // reduce_scatter; of reduce, rank 0 has the result where it is the root
  for (const char* algorithm : {"leader-fused", "staged-host"})
    CHECK(in_order(algorithm, 5, 2) >= kAllreduces + kOthers);
  CHECK(in_order("shared-buffer", 5, 2) == kAllreduces);
  CHECK(in_order("ring", 5, 1) == kAllreduces);
  for (const char* algorithm : {"binomial", "one-shot", "two-shot", "ring"}) CHECK(in_order(algorithm, 6, 3) == 0);
}

TEST_CASE("a process may come with another GPU at each call") {
  if (!has_kernels()) return;
  for (const char* algorithm : {"auto", "ring", "shared-buffer"}) {
    const Scenario scenario = play("two-gpus", 4, 3, algorithm);
    CAPTURE(algorithm);
    CAPTURE(scenario.all);
    for (const std::string& line : scenario.ranks)
      CHECK(line.starts_with("done 12, through MPI 0, failed 0, wrong 0;"));
  }
}

TEST_CASE("the machine's islands choose the algorithm") {
  if (!has_kernels()) return;
  const auto by = [](int ranks, int gpus, const char* node) {
    const std::string nvml =
        fmt::format("TOPOWISE_NVML_LIBRARY={} TOPOWISE_FAKE_NODE={}", on_hip() ? "/nowhere" : TOPOWISE_FAKE_NVML, node);
    const Scenario scenario = play("long", ranks, gpus, "auto", {}, 0, nvml);
    CAPTURE(scenario.all);
    for (const std::string& line : scenario.ranks) CHECK(line.starts_with("done 2, through MPI 0, failed 0, wrong 0;"));
    return scenario.ranks[0].substr(scenario.ranks[0].rfind(';') + 2);
  };
  CHECK(by(4, 1, "preset:dgx-a100") == "leader-fused 2");
  CHECK(by(8, 8, "preset:dgx-a100") == "one-shot 1 two-shot 1");              // NVSwitch: any two at full speed
  CHECK(by(8, 8, "preset:helios-k80") == "one-shot 1 ring 1");                // PCIe
  if (on_hip()) CHECK(by(2, 2, "preset:mi300x") == "one-shot 1 two-shot 1");  // xGMI, as HIP tells
}

TEST_CASE("the same when every copy and kernel is late, with and without time slices") {
  if (!has_kernels()) return;
  for (const collective::CollectiveAlgorithm& algorithm : collective::algorithms()) {
    check_everything(algorithm.name, 4, 2, "TOPOWISE_FAKE_DELAY_US=150 TOPOWISE_FAKE_SEED=1");
    check_everything(algorithm.name, 3, 1, "TOPOWISE_FAKE_TIMESLICE_US=50");
  }
}

TEST_CASE("the same when others are late" * doctest::test_suite("wide")) {
  if (!has_kernels()) return;
  for (const collective::CollectiveAlgorithm& algorithm : collective::algorithms()) {
    for (const int seed : {2, 3, 4, 5})
      check_everything(algorithm.name, 4, 2, fmt::format("TOPOWISE_FAKE_DELAY_US=150 TOPOWISE_FAKE_SEED={}", seed));
  }
}

TEST_CASE("negative control: the paper's missing acknowledgement gives wrong results where ranks are late") {
  if (!has_kernels()) return;
  constexpr int kSeeds = 40;  // nearly every seed finds it
  const auto is_wrong = [](int seed, const char* program) {
    const std::string late = fmt::format("TOPOWISE_FAKE_DELAY_US=3000 TOPOWISE_FAKE_SEED={}", seed);
    const Scenario scenario = play("long", 6, 1, "shared-buffer", {}, 0, late, program);
    CAPTURE(scenario.all);
    CHECK(scenario.statuses == all_zero(6));
    const auto is_right = [](const std::string& line) { return line.find(", wrong 0;") != std::string::npos; };
    return !std::ranges::all_of(scenario.ranks, is_right);
  };
  int seed = 1;
  while (seed < kSeeds && !is_wrong(seed, TOPOWISE_BROKEN_PROGRAM)) ++seed;
  CHECK(seed < kSeeds);
  CHECK_FALSE(is_wrong(seed, TOPOWISE_PROGRAM));
}

TEST_CASE("ranks whose vectors lie on the host send the call through MPI, at all ranks alike") {
  for (const char* algorithm : {"auto", "staged-host"}) {
    const Scenario scenario = play("mixed", 4, 2, algorithm, {}, 0, "TOPOWISE_FAKE_DELAY_US=100");
    CAPTURE(scenario.all);
    for (const std::string& line : scenario.ranks)
      CHECK(line.starts_with("done 12, through MPI 28, failed 0, wrong 0;"));
  }
}

TEST_CASE("a rank that MPI lets go on does not disturb the call that it has left") {
  if (!has_kernels()) return;
  const auto goes_well = [](const char* program) {
    const Scenario scenario = play("overtaking", 4, 1, "leader-fused", {}, 0, "TOPOWISE_FAKE_DELAY_US=300", program);
    CAPTURE(scenario.all);
    const auto is_right = [](const std::string& line) {
      return line.starts_with("done 200, through MPI 200, failed 0, wrong 0;");
    };
    return std::ranges::all_of(scenario.ranks, is_right);
  };
  CHECK(goes_well(usual_program()));
  CHECK_FALSE(goes_well(TOPOWISE_OVERTAKING_PROGRAM));  // negative control: an epoch too early
}

TEST_CASE("different counts are an error at all ranks, and not a hang") {
  const Scenario scenario = play("mismatch", 3, 1, "auto");
  for (const std::string& line : scenario.ranks) {
    CHECK(line.starts_with("done 0, through MPI 0, failed 1, wrong 0;"));
    CHECK(line.ends_with("the ranks call allreduce with different counts, types or operations, or another function"));
  }
}

TEST_CASE("a late rank learns what rank 0 has decided, though rank 0 is calls ahead") {
  if (!has_kernels()) return;
  const Scenario scenario = play("ahead", 6, 1, "leader-fused");
  CAPTURE(scenario.all);
  for (const std::string& line : scenario.ranks) CHECK(line.starts_with("done 300, through MPI 0, failed 0, wrong 0;"));
}

TEST_CASE("a program that frees its vectors gets the memory back before the call returns") {
  if (!has_kernels()) return;
  for (const char* algorithm : {"leader-fused", "shared-buffer"}) {
    const Scenario scenario = play("passing", 2, 1, algorithm, {}, 0, "TOPOWISE_FAKE_MEMORY_MIB=128");
    CAPTURE(scenario.all);
    CHECK(scenario.statuses == all_zero(2));
    for (const std::string& line : scenario.ranks)
      CHECK(line.starts_with("done 12, through MPI 0, failed 0, wrong 0;"));
  }
}

TEST_CASE("a rank may free its vectors as soon as the call returns") {
  if (!has_kernels()) return;
  const auto goes_well = [](const char* program) {
    const Scenario scenario = play("freeing", 3, 1, "leader-fused", {}, 0, "TOPOWISE_FAKE_DELAY_US=500", program);
    CAPTURE(scenario.all);
    const auto is_right = [](const std::string& line) {
      return line.starts_with("done 24, through MPI 0, failed 0, wrong 0;");
    };
    return std::ranges::all_of(scenario.ranks, is_right);
  };
  CHECK(goes_well(usual_program()));
  CHECK_FALSE(goes_well(TOPOWISE_FREEING_PROGRAM));  // negative control: the call returns while the leader still works
}

TEST_CASE("more elements than 31 bits count, in one kernel" * doctest::test_suite("wide")) {
  if (!has_kernels()) return;
#ifdef __SANITIZE_THREAD__
  MESSAGE("not run: ThreadSanitizer keeps four bytes for each byte of these gigabytes, more than 24 GB in all");
  return;
#endif
  const Scenario scenario = play("huge", 2, 1, "leader-fused", {}, 0, "TOPOWISE_FAKE_MEMORY_MIB=6144");
  CAPTURE(scenario.all);
  CHECK(scenario.statuses == all_zero(2));
  for (const std::string& line : scenario.ranks)
    CHECK(line == "done 1, through MPI 0, failed 0, wrong 0; leader-fused 1");
}

TEST_CASE("no more than a quarter of a GPU stays open behind a call that needed more") {
  if (!has_kernels()) return;
  const Scenario scenario = play("kept", 3, 1, "leader-fused", {}, 0, "TOPOWISE_FAKE_MEMORY_MIB=128");
  CAPTURE(scenario.all);
  CHECK(scenario.statuses == all_zero(3));
  for (const std::string& line : scenario.ranks) CHECK(line.starts_with("done 4, through MPI 0, failed 0, wrong 0;"));
}

TEST_CASE("no elements are nothing to do, but at one rank only they are an error of all") {
  if (!has_kernels()) return;
  const Scenario scenario = play("nothing", 3, 2, "auto");
  CAPTURE(scenario.all);
  for (const std::string& line : scenario.ranks) {
    CHECK(line.starts_with("done 3, through MPI 3, failed 1, wrong 0;"));
    CHECK(line.ends_with("the ranks call allreduce with different counts, types or operations, or another function"));
  }
}

TEST_CASE("what a driver does not do is done another way, at all ranks alike") {
  if (!has_kernels()) return;
  struct Lack {
    const char* algorithm;
    const char* fault;
    int rank;
  };
  constexpr std::array<Lack, 8> kLacks{{
      {"auto", "cuIpcOpenMemHandle:*:CUDA_ERROR_OPERATING_SYSTEM", 0},
      {"shared-buffer", "cuIpcOpenMemHandle:*:CUDA_ERROR_OPERATING_SYSTEM", 2},
      {"auto", "cuIpcGetMemHandle:*:CUDA_ERROR_INVALID_VALUE", 1},
      {"binomial", "cuIpcGetMemHandle:*:CUDA_ERROR_INVALID_VALUE", 1},
      {"auto", "cuMemAlloc:3+:CUDA_ERROR_OUT_OF_MEMORY", 1},
      {"shared-buffer", "cuMemAlloc:3+:CUDA_ERROR_OUT_OF_MEMORY", 0},
      {"auto", "cuModuleLoadData:*:CUDA_ERROR_UNSUPPORTED_PTX_VERSION", 0},
      {"staged-host", "cuMemHostRegister:*:CUDA_ERROR_NOT_SUPPORTED", 1},
  }};
  for (const Lack& lack : kLacks) {
    const Scenario scenario = play("several", 3, 1, lack.algorithm, lack.fault, lack.rank);
    CAPTURE(scenario.all);
    for (const std::string& line : scenario.ranks)
      CHECK(line.starts_with("done 12, through MPI 0, failed 0, wrong 0; staged-host 12"));
  }
  // The leader on the second GPU cannot open memory: either none at all, or not the programs' buffers.
  for (const char* algorithm : {"one-shot", "two-shot", "ring"}) {
    for (const char* fault :
         {"cuIpcOpenMemHandle:*:CUDA_ERROR_OPERATING_SYSTEM", "cuIpcOpenMemHandle:3+:CUDA_ERROR_MAP_FAILED",
          "cuModuleLoadData:*:CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "cuMemAlloc:3+:CUDA_ERROR_OUT_OF_MEMORY"}) {
      const Scenario scenario = play("several", 4, 2, algorithm, fault, 1);
      CAPTURE(scenario.all);
      for (const std::string& line : scenario.ranks)
        CHECK(line.starts_with("done 12, through MPI 0, failed 0, wrong 0; staged-host 12"));
    }
  }
  const Scenario apart = play("several", 3, 3, "auto", {}, 0, "TOPOWISE_FAKE_PEER=none");
  for (const std::string& line : apart.ranks)
    CHECK(line.starts_with("done 12, through MPI 0, failed 0, wrong 0; staged-host 12"));
}

TEST_CASE("an error of the driver in the middle of a call is reported at all ranks, and later calls go through MPI") {
  if (!has_kernels()) return;
  const std::string copy = on_hip() ? "cuMemcpyDtoDAsync" : "cuMemcpyAsync";
  const Scenario late = play("several", 4, 4, "ring", copy + ":30:CUDA_ERROR_ILLEGAL_ADDRESS", 2);
  CAPTURE(late.all);
  for (const std::string& line : late.ranks) {
    CHECK(line.find("failed 1, wrong 0;") != std::string::npos);
    CHECK(line.find("rank 2 cannot go on in call ") != std::string::npos);
  }
  const Scenario scenario = play("several", 3, 1, "leader-fused", "cuLaunchKernel:5:CUDA_ERROR_ILLEGAL_ADDRESS", 0);
  CAPTURE(scenario.all);
  for (const std::string& line : scenario.ranks) {
    CHECK(line.starts_with("done 4, through MPI 7, failed 1, wrong 0; leader-fused 4"));
    CHECK(line.find(on_hip() ? "rank 0 cannot go on in call 5: hipModuleLaunchKernel failed on GPU 0: hipError"
                             : "rank 0 cannot go on in call 5: cuLaunchKernel failed on GPU 0: "
                               "CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos);
  }
}

TEST_CASE("a call that fails behind its result, at a rank that did none of the work, fails nowhere else") {
  if (!has_kernels()) return;
  for (const int when : {2, 3, 4}) {
    const Scenario scenario =
        play("several", 3, 1, "leader-fused", fmt::format("cuCtxGetDevice:{}:CUDA_ERROR_LAUNCH_FAILED", when), 1);
    CAPTURE(when);
    CAPTURE(scenario.all);
    CHECK(scenario.statuses == all_zero(3));
    for (const std::string& line : scenario.ranks) {
      // HIP's call also tells what was selected before a call, and a rank that cannot know that leaves the call to MPI.
      if (!on_hip()) CHECK(tally_of(line) == "done 12, through MPI 0, failed 0, wrong 0;");
      CHECK(line.find("failed 0, wrong 0;") != std::string::npos);
      CHECK(tally_of(line) == tally_of(scenario.ranks[0]));
    }
  }
}

TEST_CASE("after an error no other rank writes into the buffers that the call was given") {
  if (!has_kernels()) return;
  int failed = 0;
  for (const char* algorithm : {"one-shot", "two-shot", "ring", "leader-fused", "shared-buffer"}) {
    for (const int when : {9, 10, 11, 12, 13, 14}) {
      // Rank 3 waits for rank 1, which leads on its GPU and is late.
      const Scenario scenario =
          play("abandoned", 4, 2, algorithm, fmt::format("cuStreamSynchronize:{}:CUDA_ERROR_LAUNCH_FAILED", when), 0,
               fmt::format("TOPOWISE_FAKE_DELAY_US=20000 TOPOWISE_FAKE_SEED={}", when));
      CAPTURE(algorithm);
      CAPTURE(when);
      CAPTURE(scenario.all);
      for (const std::string& line : scenario.ranks) {
        CHECK(line.find(", wrong 0;") != std::string::npos);
        CHECK(tally_of(line) == tally_of(scenario.ranks[0]));
        failed += line.find("failed 1,") != std::string::npos ? 1 : 0;
      }
    }
  }
  CHECK(failed > 40);
  // Rank 3 does not wait for a killed rank either.
  for (const char* algorithm : {"one-shot", "ring"}) {
    const Scenario scenario =
        play("abandoned", 4, 2, algorithm, "cuStreamSynchronize:11:KILL", 0, "TOPOWISE_FAKE_DELAY_US=20000");
    CAPTURE(scenario.all);
    CHECK(scenario.statuses.starts_with("137 "));
    for (int rank = 1; rank < 4; ++rank) CHECK(scenario.all.find(fmt::format("rank {}: ", rank)) != std::string::npos);
  }
}

TEST_CASE("a rank that is killed, wherever that is, is named by the others, with the stage and the call") {
  if (!has_kernels()) return;
  for (const collective::CollectiveAlgorithm& algorithm : collective::algorithms()) {
    for (const int killed : {0, 1, 2}) {
      for (const char* moment : {"cuStreamSynchronize:3", "cuStreamSynchronize:9", "cuMemcpyHtoDAsync:4"}) {
        const int survivor = killed == 0 ? 1 : 0;
        // Algorithms for several GPUs need several GPUs.
        const int gpus =
            collective::find_algorithm("leader-fused") < collective::find_algorithm(algorithm.name) ? 3 : 1;
        const Scenario scenario = play("several", 3, gpus, algorithm.name, fmt::format("{}:KILL", moment), killed);
        CAPTURE(scenario.all);
        if (scenario.statuses == all_zero(3)) continue;  // the algorithm makes fewer of these calls
        for (int rank = 0; rank < 3; ++rank) {
          if (rank == killed) continue;
          const std::string& line = scenario.ranks[static_cast<std::size_t>(rank)];
          CHECK(line.find("failed 1, wrong 0;") != std::string::npos);
          CHECK(tally_of(line) == tally_of(scenario.ranks[static_cast<std::size_t>(survivor)]));
          CHECK(line.find(fmt::format("rank {} (process ", killed)) != std::string::npos);
          CHECK(line.find("waited for its '") != std::string::npos);
          CHECK(line.find("in call ") != std::string::npos);
        }
      }
    }
  }
}
