// SPDX-License-Identifier: BSD-3-Clause
// Jobs that call NCCL are recorded, and their profiles are read. The traffic of job.cpp is worked out here by hand.
#include <doctest/doctest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <topowise/traffic_source/source.hpp>

using namespace topowise;
namespace fs = std::filesystem;

namespace {

constexpr int kRanks = 4;
using Matrix = std::map<std::pair<std::size_t, std::size_t>, double>;
using Variables = std::map<std::string, std::string>;

struct Directory {
  fs::path path;
  explicit Directory(const std::string& what = "profile")
      : path(fs::temp_directory_path() / ("topowise-nccl-test-" + std::to_string(getpid()) + "-" + what)) {
    fs::create_directories(path);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { fs::remove_all(path); }
};

/// How the library finds the recorder.
enum class By { plugin_and_functions, plugin, functions };

Variables recording(const fs::path& directory, By by = By::plugin_and_functions) {
  Variables variables{{"TOPOWISE_PROFILE", directory.string()}};
  if (by != By::plugin) variables["LD_PRELOAD"] = TOPOWISE_RECORDER;
  if (by == By::plugin) variables["NCCL_PROFILER_PLUGIN"] = TOPOWISE_RECORDER;
  if (by == By::plugin_and_functions) variables["NCCL_PROFILER_PLUGIN"] = "libtopowise_interpose.so";  // as `run` does
  return variables;
}

/// Processes that run at the same time.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() {
    if (!processes_.empty()) (void)run();
  }

  void add(int rank, int size, const char* name, const std::vector<std::string>& what, Variables variables,
           bool launched = true) {
    std::vector<std::string> words{TOPOWISE_NCCL_JOB, std::to_string(rank), std::to_string(size), name};
    words.insert(words.end(), what.begin(), what.end());
    if (launched) {
      variables.insert({{"RANK", std::to_string(rank)},
                        {"WORLD_SIZE", std::to_string(size)},
                        {"LOCAL_RANK", std::to_string(rank)},
                        {"MASTER_ADDR", "here"},
                        {"MASTER_PORT", "29500"},
                        {"TORCHELASTIC_RUN_ID", "none"}});
    }
    variables["STAND_IN_NCCL_MEETING"] = meeting_.path.string();
    for (const char* kept : {"PATH", "HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
      if (const char* value = std::getenv(kept)) variables.emplace(kept, value);
    std::vector<std::string> settings;
    for (const auto& [variable, value] : variables) settings.push_back(variable + "=" + value);
    pid_t process = 0;
    REQUIRE(::posix_spawn(&process, TOPOWISE_NCCL_JOB, nullptr, nullptr, pointers(words).data(),
                          pointers(settings).data()) == 0);
    processes_.push_back(process);
  }

  /// The exit statuses of the processes; 128 + N after signal N.
  std::vector<int> run() {
    std::vector<int> statuses;
    for (const pid_t process : processes_) {
      int status = 0;
      ::waitpid(process, &status, 0);
      statuses.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    processes_.clear();
    return statuses;
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  }

  Directory meeting_{"meeting"};
  std::vector<pid_t> processes_;
};

std::vector<int> run(const std::vector<std::string>& what, const Variables& variables, const char* name = "job",
                     bool launched = true) {
  Job job;
  for (int rank = 0; rank < kRanks; ++rank) job.add(rank, kRanks, name, what, variables, launched);
  return job.run();
}

const std::vector<int> kAllWell(kRanks, 0);

Matrix matrix(const Traffic& traffic) {
  Matrix bytes;
  for (const TrafficEntry& entry : traffic.entries())
    if (entry.bytes > Bytes(0)) bytes[{entry.source.index(), entry.destination.index()}] += entry.bytes.value();
  return bytes;
}

bool warns(const TrafficReading& reading, const std::string& text) {
  return std::ranges::any_of(reading.warnings,
                             [&](const Diagnostic& one) { return one.what.find(text) != std::string::npos; });
}

enum class Told { algorithms, nothing };

/// The traffic that each rank sends in `step`, multiplied by its number in `times`.
Matrix step(Told told, const std::array<double, kRanks>& times = {1, 1, 1, 1}) {
  Matrix sent;
  const auto add = [&](std::size_t source, std::size_t destination, double bytes) {
    if (times[source] > 0) sent[{source, destination}] += bytes * times[source];
  };
  // Two trees: in one, 1 and 3 are below 2, which is below 0. The other is its mirror image: 2 and 0 are below 1, which
  // is below 3.
  const auto trees = [&](double first, double second) {
    for (const auto& [child, parent] : {std::pair{1, 2}, {3, 2}, {2, 0}})
      for (const bool up : {true, false}) add(up ? child : parent, up ? parent : child, first);
    for (const auto& [child, parent] : {std::pair{2, 1}, {0, 1}, {1, 3}})
      for (const bool up : {true, false}) add(up ? child : parent, up ? parent : child, second);
  };
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    if (told == Told::algorithms) add(rank, (rank + 1) % kRanks, 2.0 * 3 / 4 * 4000);  // ring
    add(rank, rank ^ 1, 200);                                                          // allgather in the pair
    add(rank, rank ^ 1, 400);                                                          // reduce-scatter in the pair
    if (rank + 1 < kRanks) add(rank, rank + 1, 4096);
    if (rank != 0) add(rank, (rank + 1) % kRanks, 300);  // broadcast by 1 around the ring
    if (rank != 2) add(rank, (rank + 1) % kRanks, 64);   // reduction around the ring to 2
  }
  if (told == Told::nothing) trees(2000, 2000);
  trees(24, 16);
  return sent;
}

}  // namespace

TEST_CASE("every version of the profiler interface, and a library without") {
  for (int version = 0; version <= 7; ++version) {
    CAPTURE(version);
    const Directory directory;
    Variables variables = recording(directory.path / "profile");
    variables["STAND_IN_NCCL_PROFILER"] = std::to_string(version);
    CHECK(run({"step"}, variables) == kAllWell);
    const TrafficReading read = read_traffic_with_warnings((directory.path / "profile").string());
    CHECK(read.warnings.empty());
    CHECK(matrix(read.traffic) == step(version == 0 ? Told::nothing : Told::algorithms));
  }
}

TEST_CASE("the plugin alone, the functions alone, and another plugin of the user's") {
  for (const By by : {By::plugin, By::functions}) {
    const Directory directory;
    Variables variables = recording(directory.path / "profile", by);
    if (by == By::functions) variables["NCCL_PROFILER_PLUGIN"] = "none";
    CHECK(run({"step"}, variables) == kAllWell);
    CHECK(matrix(read_traffic((directory.path / "profile").string())) ==
          step(by == By::functions ? Told::nothing : Told::algorithms));
  }
}

TEST_CASE("collectives by copy engines count once, and straight to every member") {
  const Directory directory;
  Variables variables = recording(directory.path);
  variables["STAND_IN_NCCL_COPY_ENGINE"] = "1";
  CHECK(run({"step"}, variables) == kAllWell);
  CHECK(matrix(read_traffic(directory.path.string())) == step(Told::algorithms));  // in a pair all ways are equal
}

TEST_CASE("models: MPI's do not hold for NCCL, linear and none do") {
  const Directory directory;
  CHECK(run({"step"}, recording(directory.path)) == kAllWell);
  const auto read = [&](const char* model) {
    TrafficOptions options;
    options.collectives = model;
    return matrix(read_traffic(directory.path.string(), options));
  };
  CHECK(read("mpich") == step(Told::algorithms));
  CHECK(read("none") == Matrix{{{0, 1}, 4096}, {{1, 2}, 4096}, {{2, 3}, 4096}});
  CHECK(read("linear").at({0, 2}) == 4040 + 64);  // both allreduces go through rank 0; the reduction
}

TEST_CASE("by memory: NCCL's buffers lie on GPUs, at both ends") {
  const Directory directory;
  CHECK(run({"step"}, recording(directory.path)) == kAllWell);
  for (const char* memory : {"all", "device", "device-device"}) {
    TrafficOptions options;
    options.memory = memory;
    CHECK(matrix(read_traffic(directory.path.string(), options)) == step(Told::algorithms));
  }
  for (const char* memory : {"host", "host-host", "mixed"}) {
    TrafficOptions options;
    options.memory = memory;
    CHECK(matrix(read_traffic(directory.path.string(), options)).empty());
  }
}

TEST_CASE("a rank that is killed half-way leaves what it did") {
  for (const char* version : {"0", "3", "7"}) {
    CAPTURE(version);
    const Directory directory;
    Variables variables = recording(directory.path);
    variables["STAND_IN_NCCL_PROFILER"] = version;
    CHECK(run({"step", "kill", "step"}, variables) == std::vector<int>{0, 128 + SIGKILL, 0, 0});
    const TrafficReading read = read_traffic_with_warnings(directory.path.string());
    CHECK(matrix(read.traffic) == step(*version == '0' ? Told::nothing : Told::algorithms, {2, 1, 2, 2}));
    REQUIRE(read.warnings.size() == 1);
    CHECK(warns(read, "rank 1 did not end with status 0"));
  }
}

TEST_CASE("threads with communicators of their own") {
  for (const char* version : {"0", "1", "7"}) {
    CAPTURE(version);
    const Directory directory;
    Variables variables = recording(directory.path);
    variables["STAND_IN_NCCL_PROFILER"] = version;
    CHECK(run({"threads"}, variables) == kAllWell);
    TrafficOptions options;
    options.collectives = "nccl-ring";
    Matrix expected;
    for (std::size_t rank = 0; rank < kRanks; ++rank)
      expected[{rank, (rank + 1) % kRanks}] = 4 * 1000 * 2.0 * 3 / 4 * 1024;
    CHECK(matrix(read_traffic(directory.path.string(), options)) == expected);
  }
}

TEST_CASE("communicators made in groups, and made anew") {
  for (const char* version : {"0", "2", "7"}) {
    CAPTURE(version);
    const Directory directory;
    Variables variables = recording(directory.path);
    variables["STAND_IN_NCCL_PROFILER"] = version;
    CHECK(run({"step", "again", "group", "step"}, variables) == kAllWell);
    TrafficOptions options;
    options.collectives = "linear";
    Matrix expected;
    CHECK(matrix(read_traffic(directory.path.string(), options)).at({0, 2}) == 2 * (4040 + 64) + 8192);
  }
}

TEST_CASE("RCCL's all-to-all counts once, whatever the library makes of it") {
  for (const char* version : {"0", "7"}) {
    CAPTURE(version);
    const Directory directory;
    Variables variables = recording(directory.path);
    variables["STAND_IN_NCCL_PROFILER"] = version;
    CHECK(run({"alltoall"}, variables) == kAllWell);
    const Matrix sent = matrix(read_traffic(directory.path.string()));
    for (std::size_t from = 0; from < kRanks; ++from)
      for (std::size_t to = 0; to < kRanks; ++to)
        if (from != to) CHECK(sent.at({from, to}) == 64);
  }
}

TEST_CASE("the GPUs of one process are ranks, and a line says so") {
  for (const char* version : {"0", "7"}) {
    CAPTURE(version);
    const Directory directory;
    Variables variables = recording(directory.path);
    variables["STAND_IN_NCCL_PROFILER"] = version;
    Job job;
    job.add(0, 0, "all", {"all"}, variables, false);
    CHECK(job.run() == std::vector<int>{0});
    const TrafficReading read = read_traffic_with_warnings(directory.path.string());
    CHECK(warns(read, "processes drive several GPUs: a rank is a GPU here, 3 of 1 processes"));
    CHECK(read.traffic.ranks() == 3);
    CHECK(read.warnings.size() == 1);
    TrafficOptions options;
    options.collectives = "nccl-ring";
    const double bytes = 2.0 * 2 / 3 * 4000;
    const Matrix sent = matrix(read_traffic(directory.path.string(), options));
    REQUIRE(sent.size() == 3);
    for (std::size_t gpu = 0; gpu < 3; ++gpu)
      CHECK(sent.at({gpu, (gpu + 1) % 3}) == doctest::Approx(bytes).epsilon(0.01));
  }
}

TEST_CASE("several GPUs and several communicators a process: the GPU of each communicator says who sends") {
  for (const char* version : {"0", "2", "7"}) {
    for (const bool with_driver : {true, false}) {
      CAPTURE(version);
      CAPTURE(with_driver);
      const Directory directory;
      Variables variables = recording(directory.path);
      variables["STAND_IN_NCCL_PROFILER"] = version;
      variables["TOPOWISE_TRACE"] = "1";
      if (with_driver) {
        variables["TOPOWISE_CUDA_LIBRARY"] = TOPOWISE_FAKE_CUDA;
        variables["TOPOWISE_FAKE_NODE"] = "preset:hgx-h100";
        variables["TOPOWISE_FAKE_SESSION"] = "nccl-" + std::to_string(getpid());
      }
      CHECK(run({"gpus"}, variables) == kAllWell);
      // Member m of the communicator of all GPUs is on GPU m ^ 1, which only the driver can tell.
      const std::size_t swap = with_driver ? 1 : 0;
      Matrix expected;
      for (std::size_t member = 0; member < 2 * kRanks; ++member)
        expected[{member ^ swap, (member + 1) % (2 * kRanks) ^ swap}] = 2.0 * 7 / 8 * 4096;
      Matrix messages;
      for (std::size_t process = 0; process + 1 < kRanks; ++process)
        messages[{(2 * process + 1) ^ swap, (2 * process + 2) ^ swap}] = 4096;
      for (const auto& [pair, bytes] : messages) expected[pair] += bytes;
      for (std::size_t process = 0; process < kRanks; ++process)
        for (const std::size_t k : {0, 1})
          expected[{2 * process + k * swap, (2 * (process + 1) + k * swap) % (2 * kRanks)}] += 3 * 200;
      TrafficOptions options;
      options.collectives = "nccl-ring";
      const TrafficReading read = read_traffic_with_warnings(directory.path.string(), options);
      CHECK(read.traffic.ranks() == 2 * kRanks);
      CHECK(matrix(read.traffic) == expected);
      CHECK(warns(read, "a rank is a GPU here, 8 of 4 processes"));
      const PhaseReading phases = read_recorded_phases(directory.path.string(), Seconds(1000), options);
      Matrix phased;
      for (const RecordedPhase& phase : phases.recorded.phases)
        for (const Communication& one : phase.messages)
          phased[{one.source.index(), one.destination.index()}] +=
              one.bytes.value() * static_cast<double>(phase.occurrences);
      // The process is known, but not the GPU.
      for (const auto& [pair, bytes] : messages) expected[pair] -= bytes;
      for (auto& [pair, bytes] : expected) CHECK(phased[pair] == doctest::Approx(bytes));
      CHECK(phased.size() == expected.size());
    }
  }
}

TEST_CASE("without a launcher the rank is that in the first communicator") {
  const Directory directory;
  CHECK(run({"step"}, recording(directory.path), "job", false) == kAllWell);
  CHECK(matrix(read_traffic(directory.path.string())) == step(Told::algorithms));
}

TEST_CASE("jobs of one name in a directory") {
  const Directory directory;
  CHECK(run({"step", "step"}, recording(directory.path), "first") == kAllWell);
  SUBCASE("the last one counts, and rank 0 removes the one before") {
    CHECK(run({"step", "meet"}, recording(directory.path), "second") == kAllWell);
    const TrafficReading read = read_traffic_with_warnings(directory.path.string());
    CHECK(matrix(read.traffic) == step(Told::algorithms));
    CHECK(read.warnings.empty());
    CHECK(std::distance(fs::directory_iterator(directory.path), {}) == kRanks);
  }
  SUBCASE("also if it fails; the one before stays then") {
    CHECK(run({"step", "meet", "fork", "fail"}, recording(directory.path), "second") == std::vector<int>(kRanks, 3));
    const TrafficReading read = read_traffic_with_warnings(directory.path.string());
    CHECK(matrix(read.traffic) == step(Told::algorithms));
    CHECK(warns(read, "ranks 0, 1, 2, 3 did not end with status 0"));
    CHECK(warns(read, "4 files of other runs"));
  }
}

TEST_CASE("two jobs at the same time") {
  const Directory directory;
  Job both;
  for (const char* name : {"first", "second"})
    for (int rank = 0; rank < kRanks; ++rank) {
      Variables variables = recording(directory.path);
      variables["TORCHELASTIC_RUN_ID"] = name;
      both.add(rank, kRanks, name, {"step", "meet"}, variables);
    }
  CHECK(both.run() == std::vector<int>(2 * kRanks, 0));
  CHECK(matrix(read_traffic(directory.path.string())) == step(Told::algorithms));
}

TEST_CASE("nothing recorded: no directory, none asked for") {
  const Directory directory;
  CHECK(run({"step"}, recording(directory.path / "no" / "parent")) == kAllWell);
  Variables variables = recording(directory.path);
  variables.erase("TOPOWISE_PROFILE");
  CHECK(run({"step", "threads"}, variables) == kAllWell);
  CHECK(fs::is_empty(directory.path));
}

TEST_CASE("members that left no file") {
  const Directory directory;
  CHECK(run({"step"}, recording(directory.path)) == kAllWell);
  for (const fs::directory_entry& file : fs::directory_iterator(directory.path))
    if (file.path().string().ends_with(".3.twprof")) fs::remove(file.path());
  const TrafficReading read = read_traffic_with_warnings(directory.path.string());
  CHECK(warns(read, "rank 3 left no file"));
  CHECK(warns(read, "2 NCCL communicators have members that are in no file"));
  Matrix expected = step(Told::algorithms, {1, 1, 1, 0});
  std::erase_if(expected, [](const auto& sent) { return sent.first.second == 3; });
  CHECK(matrix(read.traffic) == expected);
}

TEST_CASE("a trace, as phases") {
  const Directory directory;
  Variables variables = recording(directory.path);
  variables["TOPOWISE_TRACE"] = "1";
  CHECK(run({"step"}, variables) == kAllWell);
  TrafficOptions options;
  options.collectives = "none";
  const PhaseReading read = read_recorded_phases(directory.path.string(), Seconds(1000), options);
  REQUIRE(read.recorded.phases.size() == 1);
  Matrix sent;
  for (const Communication& one : read.recorded.phases[0].messages)
    sent[{one.source.index(), one.destination.index()}] += one.bytes.value();
  CHECK(sent == Matrix{{{0, 1}, 4096}, {{1, 2}, 4096}, {{2, 3}, 4096}});
  options.collectives = "nccl-ring";
  double bytes = 0;
  for (const RecordedPhase& phase :
       read_recorded_phases(directory.path.string(), Seconds(1000), options).recorded.phases)
    for (const Communication& one : phase.messages) bytes += one.bytes.value();
  double expected = 0;
  for (const auto& [pair, pair_bytes] : matrix(read_traffic(directory.path.string(), options))) expected += pair_bytes;
  CHECK(bytes == doctest::Approx(expected));
}
