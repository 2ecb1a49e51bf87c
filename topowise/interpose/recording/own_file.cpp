// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/own_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/open_regular.hpp>
#include <topowise/interpose/base/clock.hpp>
#include <topowise/interpose/recording/older_jobs.hpp>
#include <topowise/launch/job_name.hpp>

namespace topowise::interpose {
namespace {

/// The standard ABI numbers the levels 0, 1024, 2048, 4096; the others 0 to 3.
std::uint32_t thread_level(const Mpi& m) {
  int level = 0;
  if (m.Query_thread(&level) != 0) return 0;
  constexpr int kStep = 1024;
  return static_cast<std::uint32_t>(level < kStep ? level : std::min(level / kStep, 3));
}

bool is_spawned(const Mpi& m) {
  Word parent = 0;
  if (!models().world_is_active() || m.Comm_get_parent(&parent) != 0) return false;
  return m.family.handle(parent) != m.family.comm_null;
}

template <std::size_t N>
void copy_text(char (&field)[N], const std::string& text) {
  std::memset(field, 0, N);
  std::memcpy(field, text.data(), std::min(text.size(), N - 1));
}

/// What stands under a file's name but is no profile: a link, a pipe, a file without content that nobody is writing.
bool is_rubbish(const std::string& path) {
  const Descriptor file(open_regular(path.c_str(), O_RDONLY));
  if (!file) return errno == EINVAL || errno == ELOOP;
  profile::Header found{};
  return !read_profile_header(path, found) && !is_locked(file.number());
}

/// Whether the files of `header.job` are of a job that recorded before this process began. A job's processes leave
/// MPI_Init together, so no process of this job did. Only the nearest ranks are asked, so that a thousand processes do
/// not open a thousand files each, and only those of this host, because clocks of hosts differ.
bool is_of_earlier_job(const std::string& directory, const profile::Header& header, std::uint64_t began_ns) {
  constexpr std::int32_t kNear = 8;
  const std::int32_t end = std::min(header.rank + kNear + 1, header.world_size);
  for (std::int32_t rank = std::max(header.rank - kNear, 0); rank < end; ++rank) {
    profile::Header other{};
    if (read_profile_header(directory + "/" + profile::profile_file_name(header.job, rank), other) &&
        std::strncmp(other.host, header.host, sizeof(header.host)) == 0 && other.start_ns < began_ns)
      return true;
  }
  return false;
}

bool is_planted(const struct stat& link, const std::string& folder) {
  struct stat above {};
  if (::stat(folder.c_str(), &above) != 0) return true;
  return link.st_uid != ::geteuid() && link.st_uid != 0 && (above.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/// In a folder where others can write, a link of another user, anywhere in the path, could lead to a folder in which
/// this job would remove older profiles.
bool may_be_planted(const std::string& path, int links = 0) {
  constexpr int kMostLinks = 40;  // the limit of Linux
  if (links > kMostLinks) return true;
  std::string above = path.starts_with('/') ? "/" : ".";
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty()) continue;
    const std::string here = above + "/" + name;
    struct stat facts {};
    if (::lstat(here.c_str(), &facts) != 0) return errno != ENOENT && errno != ENOTDIR;
    if (S_ISLNK(facts.st_mode)) {
      char text[PATH_MAX];
      const ssize_t length = ::readlink(here.c_str(), text, sizeof(text));
      if (length < 0 || is_planted(facts, above)) return true;
      const std::string target(text, static_cast<std::size_t>(length));
      if (may_be_planted(target.starts_with('/') ? target : above + "/" + target, links + 1)) return true;
    }
    above = here;
  }
  return false;
}

int create_in(const std::string& directory, ProfileFile& file, profile::Header& header, std::uint64_t began_ns) {
  const std::string first_name = header.job_name;
  constexpr int kMostOfOneName = 1000;
  for (int number = 0; number < kMostOfOneName; ++number) {
    if (header.spawned != 0 || number > 0) {
      const std::string name = first_name + (header.spawned != 0 ? " spawned " : " again ") + std::to_string(number);
      copy_text(header.job_name, name);
      header.job = job_key(name, header.world_size);
    }
    if (is_of_earlier_job(directory, header, began_ns)) continue;
    const std::string path = directory + "/" + profile::profile_file_name(header.job, header.rank);
    if (is_rubbish(path)) ::unlink(path.c_str());
    const int error = file.create(path, header);
    if (error != EEXIST) return error;
  }
  return EEXIST;
}

}  // namespace

profile::Header describe_process(const World& here, const char* mpi) {
  profile::Header header = profile::new_header(here.rank, here.size);
  const std::string job = job_name_here(here.size);
  header.job = job_key(job, here.size);
  gethostname(header.host, sizeof(header.host) - 1);
  char program[sizeof(header.program)] = {};
  if (readlink("/proc/self/exe", program, sizeof(program) - 1) > 0) copy_text(header.program, program);
  copy_text(header.mpi, mpi);
  copy_text(header.job_name, job);
  return header;
}

void describe_mpi(const Mpi& m, profile::Header& header) {
  header.spawned = is_spawned(m) ? 1 : 0;
  header.thread_level = thread_level(m);
  copy_text(header.mpi, m.family.name);
}

int create_own_file(ProfileFile& file, const char* directory, profile::Header& header, std::uint64_t began_ns,
                    std::string& absolute) {
  if (may_be_planted(directory)) return EACCES;
  if (::mkdir(directory, 0755) != 0 && errno != EEXIST) return errno;
  if (may_be_planted(directory)) return EACCES;
  char path[PATH_MAX];
  if (::realpath(directory, path) == nullptr) return errno;
  absolute = path;
  return create_in(absolute, file, header, began_ns);
}

std::uint64_t process_start_ns() {
  constexpr int kStartTime = 22;
  const std::string ticks = process_stat_field("self", kStartTime);
  const long ticks_a_second = ::sysconf(_SC_CLK_TCK);
  if (ticks.empty() || ticks_a_second <= 0) return 0;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const std::uint64_t after_boot =
      std::strtoull(ticks.c_str(), nullptr, 10) * (kSecond / static_cast<std::uint64_t>(ticks_a_second));
  return clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_BOOTTIME) - after_boot);
}

}  // namespace topowise::interpose
