// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/older_jobs.hpp>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <tuple>

#include <topowise/interpose/recording/profile_file.hpp>

#include <tests/lack.hpp>

using namespace topowise;
using namespace topowise::interpose;
namespace fs = std::filesystem;

namespace {

struct Directory {
  fs::path path = fs::temp_directory_path() / ("topowise-older-jobs-test-" + std::to_string(getpid()));
  Directory() { fs::create_directories(path); }
  ~Directory() { fs::remove_all(path); }
};

profile::Header header(std::uint64_t job, std::int32_t rank, std::uint64_t start_ns) {
  profile::Header h = profile::new_header(rank, 0);
  h.job = job;
  h.start_ns = start_ns;
  gethostname(h.host, sizeof(h.host) - 1);
  return h;
}

/// The file of a process that was killed while it recorded.
void leave_killed(const fs::path& path, const profile::Header& header) {
  const pid_t child = fork();
  if (child == 0) {
    ProfileFile file;
    if (file.create(path, header) == 0) raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(fs::exists(path));
}

}  // namespace

TEST_CASE("files of older jobs are removed, others stay") {
  const Directory directory;
  const auto path_of = [&](std::uint64_t job, int rank) {
    return directory.path / profile::profile_file_name(job, rank);
  };
  for (const auto& [job, rank, start] :
       {std::tuple{1U, 0, 100U}, {1U, 1, 101U}, {2U, 0, 200U}, {2U, 1, 150U}, {3U, 0, 300U}}) {
    ProfileFile file;
    REQUIRE(file.create(path_of(job, rank), header(job, rank, start)) == 0);
    file.header().state = profile::State::finalized;
  }
  std::ofstream(directory.path / "0000000000000001.readme") << "x";
  struct stat recorded {};
  struct stat other {};
  REQUIRE(::stat(directory.path.c_str(), &recorded) == 0);
  REQUIRE(::stat("/", &other) == 0);
  static_cast<void>(remove_older_jobs(directory.path, 2, 200, &other));  // exchanged for another folder meanwhile
  CHECK(fs::exists(path_of(1, 0)));
  const KeptJobs kept = remove_older_jobs(directory.path, 2, 200, &recorded);
  CHECK(kept.alive == 0);
  CHECK(kept.unknown == 0);
  CHECK_FALSE(fs::exists(path_of(1, 0)));
  CHECK_FALSE(fs::exists(path_of(1, 1)));
  CHECK(fs::exists(path_of(2, 0)));
  CHECK(fs::exists(path_of(2, 1)));  // it began earlier, but belongs to the same job
  CHECK(fs::exists(path_of(3, 0)));
  CHECK(fs::exists(directory.path / "0000000000000001.readme"));
}

TEST_CASE("a job that records is kept with all its files, one that was killed is not") {
  const Directory directory;
  const auto path_of = [&](std::uint64_t job, int rank) {
    return directory.path / profile::profile_file_name(job, rank);
  };
  ProfileFile alive;
  leave_killed(path_of(1, 0), header(1, 0, 100));
  REQUIRE(alive.create(path_of(1, 1), header(1, 1, 101)) == 0);
  leave_killed(path_of(2, 0), header(2, 0, 150));
  KeptJobs kept = remove_older_jobs(directory.path, 3, 200);
  CHECK(fs::exists(path_of(1, 0)));
  CHECK(fs::exists(path_of(1, 1)));
  CHECK_FALSE(fs::exists(path_of(2, 0)));
  CHECK(kept.alive == 1);
  CHECK(kept.unknown == 0);
  CHECK(kept.files == "0000000000000001.*.twprof");

  alive.header().state = profile::State::finalized;
  kept = remove_older_jobs(directory.path, 3, 200);
  CHECK(kept.alive == 0);
  CHECK(fs::is_empty(directory.path));
}

TEST_CASE("where no lock shows it, a job that has not said that it is over is kept") {
  const Directory directory;
  const fs::path path = directory.path / profile::profile_file_name(1, 0);
  leave_killed(path, header(1, 0, 100));
  profile::Header written{};
  REQUIRE(read_profile_header(path, written));
  REQUIRE(written.locked == 1);
  CHECK(writer_of(path, written) == Writer::done);
  std::strcpy(written.host, "another-host");
  CHECK(writer_of(path, written) == Writer::unknown);  // this host would not see a lock of that host
  written.locked = 0;
  gethostname(written.host, sizeof(written.host) - 1);
  CHECK(writer_of(path, written) == Writer::unknown);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&written), sizeof(written));
  const KeptJobs kept = remove_older_jobs(directory.path, 2, 200);
  CHECK(kept.unknown == 1);
  CHECK(kept.alive == 0);
  CHECK(fs::exists(path));
  written.state = profile::State::aborted;
  CHECK(writer_of(path, written) == Writer::done);
}

TEST_CASE("a pipe, a link and a device among the files are no profiles, and nobody waits for a pipe's other end") {
  const Directory directory;
  const fs::path file = directory.path / profile::profile_file_name(1, 0);
  const fs::path pipe = directory.path / profile::profile_file_name(2, 0);
  const fs::path link = directory.path / profile::profile_file_name(3, 0);
  leave_killed(file, header(1, 0, 100));
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  fs::create_symlink(file, link);
  profile::Header read{};
  REQUIRE(read_profile_header(file, read));
  CHECK(writer_of(pipe, read) == Writer::unknown);
  CHECK(writer_of(link, read) == Writer::unknown);
  for (const fs::path& other : {pipe, link, fs::path("/dev/zero")}) CHECK_FALSE(read_profile_header(other, read));
  CHECK(remove_older_jobs(directory.path, 4, 200).unknown == 0);
  CHECK_FALSE(fs::exists(file));
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("mounts whose locks all hosts see") {
  CHECK(is_locked_for_all_hosts("nfs4", "rw,relatime,vers=4.2,local_lock=none,addr=10.0.0.1"));
  CHECK(is_locked_for_all_hosts("nfs", "rw"));
  CHECK_FALSE(is_locked_for_all_hosts("nfs", "rw,nolock"));
  CHECK_FALSE(is_locked_for_all_hosts("nfs", "rw,local_lock=all"));
  CHECK_FALSE(is_locked_for_all_hosts("nfs", "local_lock=posix,rw"));
  CHECK(is_locked_for_all_hosts("nfs", "rw,local_lock=flock"));  // flock is the other kind of lock
  CHECK(is_locked_for_all_hosts("lustre", "rw,flock,lazystatfs"));
  CHECK_FALSE(is_locked_for_all_hosts("lustre", "rw,localflock,lazystatfs"));
  CHECK_FALSE(is_locked_for_all_hosts("lustre", "rw"));
  CHECK(is_locked_for_all_hosts("gpfs", ""));
  CHECK_FALSE(is_locked_for_all_hosts("ext4", "rw"));
}

TEST_CASE("a file of another user stays") {
  const Directory directory;
  const fs::path own = directory.path / profile::profile_file_name(1, 0);
  const fs::path other = directory.path / profile::profile_file_name(1, 1);
  for (const fs::path& path : {own, other}) {
    ProfileFile file;
    REQUIRE(file.create(path, header(1, path == own ? 0 : 1, 100)) == 0);
    file.header().state = profile::State::finalized;
  }
  if (::geteuid() != 0 || ::chown(other.c_str(), 65534, 65534) != 0) {
    test::skip_without("only root can give a file to another user");
    return;
  }
  static_cast<void>(remove_older_jobs(directory.path, 9, 500));
  CHECK_FALSE(fs::exists(own));
  CHECK(fs::exists(other));
  REQUIRE(::chown(other.c_str(), ::geteuid(), ::getegid()) == 0);
  static_cast<void>(remove_older_jobs(directory.path, 9, 500));
  CHECK(fs::is_empty(directory.path));
}
