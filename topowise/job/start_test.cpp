// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/start.hpp>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/topology_source/source.hpp>

using namespace topowise;
using namespace topowise::job;

namespace {

/// A rank gets the environment of this process, which is restored when the object is destroyed. The object also has a
/// folder for files.
class StartedRank {
 public:
  StartedRank() : folder_(std::filesystem::temp_directory_path() / ("start-test-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
    for (const char* name : kNames) ::unsetenv(name);
  }
  StartedRank(const StartedRank&) = delete;
  StartedRank& operator=(const StartedRank&) = delete;
  ~StartedRank() {
    for (const char* name : kNames) ::unsetenv(name);
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }

  [[nodiscard]] Notices notices() {
    return {[this](const std::string& line) { notes.push_back(line); },
            [this](const Diagnostic& diagnostic) { warnings.push_back(diagnostic.what); }};
  }
  std::vector<std::string> notes;
  std::vector<std::string> warnings;

 private:
  static constexpr std::array kNames{"CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                     "TOPOWISE_PROFILES", "PMIX_NAMESPACE"};
  std::filesystem::path folder_;
};

/// The mapping of rank i to place `places[i]` of a node of four GPUs, as `map --save` writes it.
std::string saved_mapping(const StartedRank& rank, const std::vector<std::size_t>& places) {
  std::vector<Place> list;
  for (const std::size_t place : places) list.emplace_back(place);
  const MappingResult result{.mapping = Mapping(std::move(list))};
  const std::string file = rank.file("m.json");
  write_file(file, to_json(result, read_topology("preset:perlmutter-a100")));
  return file;
}

}  // namespace

TEST_CASE("a mapped rank finds its GPU in the environment") {
  StartedRank rank;
  const std::string mapping = saved_mapping(rank, {2, 0, 3, 1});
  CHECK(start_mapped(mapping, {}, {"x", 2, 2, 4, 4}, rank.notices()));
  CHECK(environment("CUDA_DEVICE_ORDER") == "PCI_BUS_ID");
  CHECK(environment("CUDA_VISIBLE_DEVICES") == "0,1,3,2");
  CHECK(rank.notes.empty());
  CHECK(rank.warnings.empty());
}

TEST_CASE("a rank may see its GPU alone") {
  StartedRank rank;
  const std::string mapping = saved_mapping(rank, {2, 0, 3, 1});
  CHECK(start_mapped(mapping, {.gpu_binding = GpuBinding::only}, {"x", 0, 0, 4, 4}, rank.notices()));
  CHECK(environment("CUDA_VISIBLE_DEVICES") == "2");
}

TEST_CASE("one process that makes the workers gets the list of their GPUs") {
  StartedRank rank;
  const std::string mapping = saved_mapping(rank, {2, 0, 3, 1});
  CHECK(start_mapped(mapping, {}, {}, rank.notices()));
  CHECK(environment("CUDA_VISIBLE_DEVICES") == "2,0,3,1");
  REQUIRE(rank.notes.size() == 1);
  CHECK(rank.notes[0] == "CUDA_VISIBLE_DEVICES=2,0,3,1: device k is the GPU of worker k, of 4");
  CHECK(rank.warnings.empty());
  ::setenv("CUDA_VISIBLE_DEVICES", "1,3", 1);
  CHECK_THROWS_WITH_AS(
      (void)start_mapped(mapping, {}, {}, rank.notices()),
      "rank 0 is mapped to GPU2, which is not among the job's GPUs here (CUDA_VISIBLE_DEVICES): GPU1, GPU3", Error);
}

TEST_CASE("a mapping for another number of ranks is refused, a GPU that is hidden too") {
  StartedRank rank;
  const std::string mapping = saved_mapping(rank, {2, 0, 3, 1});
  CHECK_THROWS_WITH_AS((void)start_mapped(mapping, {}, {"x", 0, 0, 3, 3}, rank.notices()),
                       "the mapping is for 4 ranks, but this is rank 0 of 3", Error);
  ::setenv("CUDA_VISIBLE_DEVICES", "1,3", 1);
  CHECK_THROWS_WITH_AS((void)start_mapped(mapping, {}, {"x", 1, 1, 4, 4}, rank.notices()),
                       "rank 1 is mapped to GPU0, but CUDA_VISIBLE_DEVICES='1,3' hides it", Error);
}

TEST_CASE("without a saved mapping a node maps its ranks by a profile, and says so once") {
  StartedRank rank;
  ::setenv("PMIX_NAMESPACE", ("start-test-" + std::to_string(::getpid())).c_str(), 1);
  std::ofstream(rank.file("alone.csv")) << "5\n";
  const AutoOptions choice{
      .command = {"true"}, .profile = rank.file("alone.csv"), .topology = "preset:perlmutter-a100"};
  CHECK(start_auto(choice, {.gpu_binding = GpuBinding::only}, {"Open MPI", 0, 0, 1, 1}, rank.notices()));
  CHECK(environment("CUDA_VISIBLE_DEVICES").has_value());
  REQUIRE(rank.notes.size() == 1);
  CHECK(rank.notes[0].starts_with("auto: 1 rank on 4 GPUs by '"));
}

TEST_CASE("what is in the way of a mapping is one warning, and the rank stays as it is") {
  StartedRank rank;
  ::setenv("PMIX_NAMESPACE", ("start-test-" + std::to_string(::getpid())).c_str(), 1);
  const AutoOptions choice{.command = {"true"}, .profile = rank.file("none.csv"), .topology = rank.file("none.json")};
  const RankOrders orders = auto_orders(choice, {"Open MPI", 0, 0, 1, 1}, rank.notices());
  CHECK_FALSE(orders.gpu);
  CHECK(orders.record_into == rank.file("none.csv"));
  REQUIRE(rank.warnings.size() == 1);
  CHECK(rank.warnings[0].ends_with(": no rank of this node is mapped"));
}

TEST_CASE("a pipe is no mapping for several ranks, and no place for a profile; nobody waits for its other end") {
  StartedRank rank;
  ::setenv("PMIX_NAMESPACE", ("start-test-" + std::to_string(::getpid())).c_str(), 1);
  const std::string pipe = rank.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH_AS((void)start_mapped(pipe, {}, {"x", 0, 0, 4, 4}, rank.notices()),
                       ("'" + pipe + "' is a pipe, and every rank reads it").c_str(), Error);
  const AutoOptions choice{.command = {"true"}, .profile = pipe, .topology = "preset:perlmutter-a100"};
  const RankOrders orders = auto_orders(choice, {"Open MPI", 0, 0, 1, 1}, rank.notices());
  CHECK(orders.record_into.empty());
  REQUIRE(rank.notes.size() == 1);
  CHECK(rank.notes[0].ends_with("no profile yet, and this run is not recorded: '" + pipe + "' is no folder"));
}

TEST_CASE("a place where no profile can be kept is reported, and the run is not recorded into it") {
  StartedRank rank;
  ::setenv("PMIX_NAMESPACE", ("start-test-" + std::to_string(::getpid())).c_str(), 1);
  ::setenv("TOPOWISE_PROFILES", "/dev/null", 1);
  const AutoOptions choice{.command = {"true"}, .profile = {}, .topology = "preset:perlmutter-a100"};
  const RankOrders orders = auto_orders(choice, {"Open MPI", 0, 0, 1, 1}, rank.notices());
  ::unsetenv("TOPOWISE_PROFILES");
  CHECK(orders.record_into.empty());
  REQUIRE(rank.notes.size() == 1);
  CHECK(rank.notes[0].ends_with(
      "no profile yet, and this run is not recorded: cannot make the folder '/dev/null': Not a directory"));
}

TEST_CASE("a program that is not there is reported") {
  CHECK_THROWS_WITH_AS(become({"no-such-program-of-ours"}),
                       "cannot start 'no-such-program-of-ours': No such file or directory", Error);
}
