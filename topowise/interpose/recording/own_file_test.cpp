// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/own_file.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include <tests/lack.hpp>

#include <topowise/base/descriptor.hpp>
#include <topowise/interpose/base/clock.hpp>
#include <topowise/interpose/recording/file_lock.hpp>
#include <topowise/interpose/recording/older_jobs.hpp>
#include <topowise/launch/job_name.hpp>

using namespace topowise;
using namespace topowise::interpose;
namespace fs = std::filesystem;

namespace {

constexpr std::int32_t kRanks = 4;
constexpr const char* kName = "unnamed";

struct Directory {
  fs::path path = fs::temp_directory_path() / ("topowise-own-file-test-" + std::to_string(getpid()));
  Directory() { fs::create_directories(path); }
  ~Directory() { fs::remove_all(path); }
};

/// One process of a job; all jobs here have the same name.
struct Process {
  ProfileFile file;
  profile::Header described = profile::new_header(0, kRanks);
  int error = 0;

  Process(const Directory& directory, std::int32_t rank, std::uint64_t start_ns, std::uint64_t began_ns = 0,
          const char* host = "this-host") {
    described.rank = rank;
    described.start_ns = start_ns;
    described.job = job_key(kName, kRanks);
    std::strcpy(described.job_name, kName);
    std::strcpy(described.host, host);
    std::string absolute;
    error = create_own_file(file, directory.path.c_str(), described, began_ns, absolute);
  }
  void finalize() { file.header().state = profile::State::finalized; }
};

using Job = std::vector<std::unique_ptr<Process>>;

Job begin_job(const Directory& directory, std::uint64_t start_ns, const char* host = "this-host") {
  Job job;
  for (std::int32_t rank = 0; rank < kRanks; ++rank)
    job.push_back(std::make_unique<Process>(directory, rank, start_ns, start_ns, host));
  return job;
}

fs::path path_of(const Directory& directory, std::uint64_t job, std::int32_t rank) {
  return directory.path / profile::profile_file_name(job, rank);
}

/// The start time in the header of the file that has this job's and rank's name; 0 if there is no such file.
std::uint64_t start_in(const Directory& directory, std::uint64_t job, std::int32_t rank) {
  profile::Header header{};
  return read_profile_header(path_of(directory, job, rank), header) ? header.start_ns : 0;
}

void check_has_all(const Directory& directory, const Job& job, std::uint64_t start_ns) {
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    CAPTURE(rank);
    const Process& process = *job[static_cast<std::size_t>(rank)];
    CHECK(process.error == 0);
    CHECK(process.described.job == job[0]->described.job);
    CHECK(start_in(directory, process.described.job, rank) == start_ns);
  }
}

const std::uint64_t kFirst = job_key(kName, kRanks);
const std::uint64_t kSecond = job_key(std::string(kName) + " again 1", kRanks);

}  // namespace

TEST_CASE("a job beside one of its name of which a single rank still records takes another name, with all its ranks") {
  const Directory directory;
  const Job first = begin_job(directory, 100);
  for (const std::size_t rank : {0U, 1U, 3U}) first[rank]->finalize();
  const Job second = begin_job(directory, 200);
  check_has_all(directory, first, 100);
  check_has_all(directory, second, 200);
  CHECK(second[0]->described.job == kSecond);
  CHECK(std::string(second[2]->file.header().job_name) == "unnamed again 1");
}

TEST_CASE("a job that is done is not replaced file by file, but goes when the next one ends") {
  const Directory directory;
  const Job first = begin_job(directory, 100);
  for (const auto& process : first) process->finalize();
  const Job second = begin_job(directory, 200);
  check_has_all(directory, first, 100);
  check_has_all(directory, second, 200);
  CHECK(remove_older_jobs(directory.path, kSecond, 200).alive == 0);
  CHECK(start_in(directory, kFirst, 0) == 0);
  check_has_all(directory, second, 200);
  const Job third = begin_job(directory, 300);
  check_has_all(directory, third, 300);
  CHECK(third[0]->described.job == kFirst);
}

TEST_CASE("files of a job that nobody knows to be over are kept") {
  const Directory directory;
  {
    const Job first = begin_job(directory, 100, "another-host");
    for (const auto& process : first) process->file.header().locked = 0;
  }
  const Job second = begin_job(directory, 200);
  CHECK(start_in(directory, kFirst, 2) == 100);
  check_has_all(directory, second, 200);
}

TEST_CASE("an earlier job that left files of some ranks only: all ranks of the next take the next name") {
  const Directory directory;
  const Process left(directory, 1, 100);
  const Job second = begin_job(directory, 200);
  CHECK(second[0]->described.job == kSecond);
  check_has_all(directory, second, 200);
}

TEST_CASE("what is of the same job: files that began after this process; another host's clock says nothing") {
  const Directory directory;
  const Process first(directory, 1, 250, 200);
  CHECK(Process(directory, 0, 260, 210).described.job == kFirst);
  CHECK(Process(directory, 2, 270, 0).described.job == kFirst);  // its start time is not known
  CHECK(Process(directory, 3, 260, 255, "another-host").described.job == kFirst);
}

TEST_CASE("processes that all begin as rank 0 of jobs of one name at once keep a file each") {
  constexpr int kRounds = 40;
  constexpr int kProcesses = 8;
  int damaged = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Directory directory;
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
      const pid_t child = fork();
      REQUIRE(child >= 0);
      if (child == 0) {
        Process process(directory, 0, clock_ns(CLOCK_REALTIME));
        const bool good =
            process.error == 0 && process.file.append(profile::SegmentKind::vectors, profile::VectorRow{}) != nullptr;
        _exit(good ? 0 : 1);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = -1;
      REQUIRE(waitpid(child, &status, 0) == child);
      damaged += status == 0 ? 0 : 1;
    }
  }
  CHECK(damaged == 0);
}

TEST_CASE("jobs that are spawned are counted") {
  const Directory directory;
  profile::Header described = profile::new_header(0, 1);
  for (const char* name : {"unnamed spawned 0", "unnamed spawned 1"}) {
    profile::Header header = described;
    std::strcpy(header.job_name, kName);
    header.spawned = 1;
    ProfileFile file;
    std::string absolute;
    REQUIRE(create_own_file(file, directory.path.c_str(), header, 0, absolute) == 0);
    CHECK(std::string(file.header().job_name) == name);
  }
}

TEST_CASE(
    "what is no profile makes room, without a wait for a pipe's other end; a file that somebody begins does not") {
  const Directory directory;
  const fs::path mine = path_of(directory, kFirst, 0);
  const auto created_as = [&] { return Process(directory, 0, 100).described.job; };
  REQUIRE(mkfifo(mine.c_str(), 0644) == 0);
  CHECK(created_as() == kFirst);
  fs::remove(mine);
  std::ofstream(directory.path / "target") << "another's";
  fs::create_symlink(directory.path / "target", mine);
  CHECK(created_as() == kFirst);
  CHECK(fs::file_size(directory.path / "target") == 9);
  fs::remove(mine);
  std::ofstream(mine) << "";
  CHECK(created_as() == kFirst);
  fs::remove(mine);
  const Descriptor begun(::open(mine.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  REQUIRE(lock_file(begun.number()));
  CHECK(created_as() == kSecond);
  CHECK(fs::file_size(mine) == 0);
}

TEST_CASE("a process was started before now, and not before its parent") {
  const std::uint64_t mine = process_start_ns();
  CHECK(mine > 0);
  CHECK(mine <= clock_ns(CLOCK_REALTIME));
  constexpr std::uint64_t kDay = 24ULL * 3600 * 1'000'000'000;
  CHECK(mine > clock_ns(CLOCK_REALTIME) - kDay);
  const pid_t child = fork();
  if (child == 0) _exit(process_start_ns() + 1'000'000 >= mine ? 0 : 1);  // both times are computed from "now"
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("no link that another user may have planted is followed to a folder with older recordings") {
  const Directory directory;
  fs::create_directory(directory.path / "older");
  fs::create_directory(directory.path / "shared");
  const fs::path link = directory.path / "shared/profile";
  fs::create_directory_symlink("../older", link);
  const auto error = [&](const std::string& path) {
    ProfileFile file;
    profile::Header described = profile::new_header(0, 1);
    described.job = job_key(kName, 1);
    std::strcpy(described.job_name, kName);
    std::string absolute;
    const int result = create_own_file(file, path.c_str(), described, 0, absolute);
    fs::remove(directory.path / "older" / profile::profile_file_name(described.job, 0));
    return result;
  };
  fs::permissions(directory.path / "shared", fs::perms::all | fs::perms::sticky_bit);
  CHECK(error(link) == 0);
  if (::geteuid() != 0 || ::lchown(link.c_str(), 65534, 65534) != 0)
    return test::skip_without("only root can give a link to another user");
  CHECK(error(link) == EACCES);
  CHECK(error(link.string() + "//") == EACCES);
  const fs::path midway = directory.path / "shared/midway";
  fs::create_directory_symlink("..", midway);
  CHECK(error(midway / "older") == 0);
  REQUIRE(::lchown(midway.c_str(), 65534, 65534) == 0);
  CHECK(error(midway / "older") == EACCES);
  CHECK(error(midway / "new") == EACCES);
  CHECK(!fs::exists(directory.path / "new"));
  fs::create_directory_symlink("shared/midway/older", directory.path / "chain");
  CHECK(error(directory.path / "chain") == EACCES);
  fs::permissions(directory.path / "shared", fs::perms::owner_all);
  CHECK(error(link) == 0);
}
