// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/end_report.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>

#include <topowise/interpose/recording/profile_file.hpp>

using namespace topowise;
using namespace topowise::interpose;
using profile::SegmentKind;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kJob = 7;

struct Directory {
  fs::path path = fs::temp_directory_path() / ("topowise-summary-test-" + std::to_string(getpid()));
  Directory() { fs::create_directories(path); }
  ~Directory() { fs::remove_all(path); }
};

profile::Header header_of(std::int32_t rank, std::int32_t size) {
  profile::Header header = profile::new_header(rank, size);
  header.job = kJob;
  header.start_ns = 100;
  std::strcpy(header.host, "here");
  std::strcpy(header.mpi, "mpich");
  header.state = profile::State::finalized;
  return header;
}

void create(const Directory& directory, ProfileFile& file, const profile::Header& header) {
  REQUIRE(file.create(directory.path / profile::profile_file_name(kJob, header.rank), header) == 0);
}

profile::PeerRow to(std::int32_t peer, std::uint64_t bytes, std::uint64_t messages,
                    profile::Channel channel = profile::Channel::send) {
  return {.peer = peer, .channel = channel, .memory = {}, .gpu = 0, .bytes = bytes, .messages = messages, .sizes = {}};
}

}  // namespace

TEST_CASE("the files of a job are added up") {
  const Directory directory;
  ProfileFile zero;
  ProfileFile one;
  create(directory, zero, header_of(0, 3));
  create(directory, one, header_of(1, 3));
  REQUIRE(zero.append(SegmentKind::peers, to(1, 1000, 2)) != nullptr);
  REQUIRE(zero.append(SegmentKind::peers, to(1, 500, 1)) != nullptr);                            // another thread
  REQUIRE(zero.append(SegmentKind::peers, to(2, 0, 0)) != nullptr);                              // never used
  REQUIRE(zero.append(SegmentKind::peers, to(0, 0, 1)) != nullptr);                              // itself: no pair
  REQUIRE(zero.append(SegmentKind::peers, to(2, 99, 9, profile::Channel::receive)) != nullptr);  // no traffic
  REQUIRE(one.append(SegmentKind::peers, to(0, 40, 1, profile::Channel::get)) != nullptr);       // 0 -> 1 again
  REQUIRE(one.append(SegmentKind::peers, to(profile::kOutside, 60, 1)) != nullptr);              // has no rank
  REQUIRE(one.append(SegmentKind::collectives, profile::CollectiveRow{.calls = 5}) != nullptr);
  REQUIRE(one.append(SegmentKind::communicator_calls, profile::CommunicatorCallRow{.calls = 2}) != nullptr);
  REQUIRE(one.append(SegmentKind::communicator_sends, profile::CommunicatorSendRow{.messages = 3, .bytes = 400}) !=
          nullptr);
  const Recorded sum = add_up(directory.path, zero.header());
  CHECK(sum.ranks == 2);
  CHECK(sum.ended == 2);
  CHECK(sum.pairs == 1);
  CHECK(sum.messages == 9);
  CHECK(sum.bytes == 2000);
  CHECK(sum.calls == 7);
  CHECK(sum.one_host);
  CHECK(summary(sum, "/d", zero.header(), 3) ==
        "recorded 2 ranks: 2 KB in 9 messages between 1 pair; 7 calls of collectives; no file of 1 of 3 ranks is here: "
        "not recorded, or on another host: topowise traffic /d");
  one.header().state = profile::State::recording;
  CHECK(
      summary(add_up(directory.path, zero.header()), "/d", zero.header(), 3)
          .ends_with("; no file of 1 of 3 ranks is here: not recorded, or on another host; 1 of 3 ranks had not ended "
                     "then: topowise traffic /d"));
}

TEST_CASE("what is not there, cut off or of another host is no number") {
  const Directory directory;
  ProfileFile file;
  profile::Header header = header_of(0, 2);
  create(directory, file, header);
  REQUIRE(file.append(SegmentKind::peers, to(1, 1000, 2)) != nullptr);
  header.rank = 1;
  std::strcpy(header.host, "there");
  ProfileFile other;
  create(directory, other, header);
  CHECK_FALSE(add_up(directory.path, file.header()).one_host);
  const fs::path path = directory.path / profile::profile_file_name(kJob, 0);
  fs::resize_file(path, profile::kPage + 100);  // a segment that does not fit into the file
  CHECK(add_up(directory.path, header_of(0, 2)).messages == 0);
  fs::resize_file(path, 100);
  CHECK(add_up(directory.path, header_of(0, 2)).ranks == 1);
}

TEST_CASE("what others have recorded is that of the job that began last") {
  const Directory directory;
  CHECK_FALSE(recorded_by_others(directory.path / "none", 0));
  CHECK_FALSE(recorded_by_others(directory.path, 0));
  std::array<ProfileFile, 3> files;
  profile::Header header = header_of(2, 3);
  header.started = static_cast<std::uint32_t>(getpid());
  REQUIRE(gethostname(header.host, sizeof(header.host)) == 0);
  create(directory, files[0], header);
  header.rank = 1;
  header.start_ns = 90;
  create(directory, files[1], header);
  header.job = kJob + 1;
  header.rank = 0;
  header.start_ns = 50;
  REQUIRE(files[2].create(directory.path / profile::profile_file_name(header.job, 0), header) == 0);
  CHECK_FALSE(recorded_by_others(directory.path, 101));
  const std::optional<RecordedByOthers> found = recorded_by_others(directory.path, 40);
  REQUIRE(found);
  CHECK(found->first.job == kJob);
  CHECK(found->first.rank == 1);
  CHECK_FALSE(found->told);
  CHECK(found->jobs == 2);
  files[2].header().told = 1;
  CHECK(recorded_by_others(directory.path, 40)->told);
  CHECK_FALSE(recorded_by_others(directory.path, 60)->told);
  std::strcpy(files[0].header().host, "elsewhere");  // where another process of this number may have started it
  CHECK(recorded_by_others(directory.path, 60)->told);
  for (ProfileFile& file : files) file.header().started = 1;
  CHECK_FALSE(recorded_by_others(directory.path, 40));
}

TEST_CASE("the line for what others have recorded") {
  profile::Header first = header_of(0, 4);
  first.state = profile::State::recording;
  const Recorded some{.ranks = 4, .ended = 1, .pairs = 2, .messages = 4, .bytes = 1000, .calls = 0};
  CHECK(
      summary_of_others(some, "/d", {first}) ==
      "recorded 4 ranks in processes that this one started: 1 KB in 4 messages between 2 pairs; 3 of 4 ranks ended by "
      "_exit() or with an error, or not yet: topowise traffic /d");
  CHECK(summary_of_others({.ranks = 1}, "/d", {first}) ==
        "nothing was recorded: 1 rank in processes that this one started sent no message and called no collective");
  CHECK(summary_of_others({.ranks = 1, .full = 1}, "/d", {first}) ==
        "nothing was recorded: 1 rank in processes that this one started: no room for the profile of 1 rank");
  CHECK(summary_of_others({.counted = false}, "/d", {header_of(0, 5000)}) ==
        "recorded a job of 5000 ranks: topowise traffic /d");
  CHECK(
      summary_of_others(some, "/d", {.first = first, .jobs = 3}).find("or not yet; besides, 2 other jobs: topowise") !=
      std::string::npos);
}

TEST_CASE("the line for each end of a recording") {
  const Recorded some{.ranks = 2, .ended = 2, .pairs = 2, .messages = 4, .bytes = 999'999, .calls = 0};
  profile::Header own = header_of(0, 2);
  CHECK(summary(some, "/it's here", own, 2) ==
        "recorded 2 ranks: 1 MB in 4 messages between 2 pairs: topowise traffic '/it'\\''s here'");
  own.state = profile::State::recording;
  CHECK(summary(some, "/d", own, 2).starts_with("recorded 2 ranks until rank 0 ended without MPI_Finalize: 1 MB in"));
  own.state = profile::State::aborted;
  CHECK(summary(some, "/d", own, 2).starts_with("recorded 2 ranks until rank 0 called MPI_Abort: "));
  CHECK(summary({.ranks = 1}, "/d", own, 2) == "nothing was recorded: rank 0 called MPI_Abort before any message");
  own.state = profile::State::finalized;
  CHECK(summary({.ranks = 2, .ended = 2}, "/d", own, 2) ==
        "nothing was recorded: 2 ranks sent no message and called no collective");
  CHECK(summary({.ranks = 2, .ended = 2, .full = 2}, "/d", own, 2) ==
        "nothing was recorded: no room for the profile of 2 ranks");
  CHECK(summary({.ranks = 2, .ended = 2, .full = 1, .calls = 1}, "/d", own, 2) ==
        "recorded 2 ranks: 1 call of collectives (incomplete: no room for the profile of 1 rank): topowise traffic /d");
  CHECK(summary({.ranks = 1, .ended = 1, .calls = 1}, "/d", header_of(0, 1), 4) ==
        "recorded one rank alone, although the launcher started 4 processes: the program's MPI library is not the "
        "launcher's, or does not understand it");
  CHECK(summary({.ranks = 1, .ended = 1, .calls = 1}, "/d", header_of(0, 1), 1) ==
        "recorded 1 rank: 1 call of collectives: topowise traffic /d");
  CHECK(summary({}, "/d", own, 2) == "the recording is gone: there is no file of this job in /d");
  CHECK(summary({.counted = false}, "/d", header_of(0, 5000), 5000) ==
        "recorded a job of 5000 ranks: topowise traffic /d");
}
