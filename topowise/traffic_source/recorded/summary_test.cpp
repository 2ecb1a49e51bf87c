// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/summary.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <topowise/profile/format.hpp>

using namespace topowise;

namespace {

void write_header(const std::string& folder, std::uint64_t job, int rank, std::uint64_t start, profile::State state,
                  std::uint32_t spawned = 0) {
  profile::Header header = profile::new_header(rank, 2);
  header.job = job;
  header.state = state;
  header.spawned = spawned;
  header.reordered = job == 8 ? 1 : 0;
  header.start_ns = start;
  if (rank == 1) std::strncpy(header.gpus[3], "0000:0a:00.0", sizeof(header.gpus[3]));
  std::ofstream(folder + "/" + profile::profile_file_name(job, rank), std::ios::binary)
      .write(reinterpret_cast<const char*>(&header), sizeof(header));
}

}  // namespace

TEST_CASE("the job that began last counts, and how far its ranks came") {
  const auto folder = std::filesystem::temp_directory_path() / ("summary-test-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  CHECK_FALSE(summarize_profile(folder.string()));
  CHECK_FALSE(summarize_profile("/nonexistent"));
  std::ofstream(folder.string() + "/broken.twprof") << "x";
  for (int rank : {0, 1}) write_header(folder.string(), 7, rank, 100, profile::State::finalized);
  write_header(folder.string(), 9, 0, 300, profile::State::finalized, 1);
  const std::optional<ProfileSummary> first = summarize_profile(folder.string());
  REQUIRE(first);
  CHECK(first->job == 7);
  CHECK(first->ranks == 2);
  CHECK(first->complete());
  CHECK_FALSE(first->reordered);
  CHECK(first->gpus.size() == 1);
  CHECK(first->gpus.at(1) == std::vector<std::string>{"0000:0a:00.0"});
  write_header(folder.string(), 8, 0, 200, profile::State::recording);
  const std::optional<ProfileSummary> second = summarize_profile(folder.string());
  REQUIRE(second);
  CHECK(second->job == 8);
  CHECK(second->files == 1);
  CHECK(second->reordered);
  CHECK_FALSE(second->complete());
  std::filesystem::remove_all(folder);
}
