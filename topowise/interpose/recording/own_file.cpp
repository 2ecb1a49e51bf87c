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
#include <utility>
#include <vector>

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

/// What is under a file's name but is no profile: a link, a pipe, a file without content that nobody is writing.
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

/// In a folder where others can write, a link of another user, anywhere in the path, could lead to a folder in which
/// this job would remove older profiles.
bool is_planted(const struct stat& link, const Descriptor& folder) {
  struct stat above {};
  if (::fstat(folder.number(), &above) != 0) return true;
  return link.st_uid != ::geteuid() && link.st_uid != 0 && (above.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/// Opens a folder, name by name, so that nothing can be exchanged between a look at a link and a step. Below 0 with
/// errno.
class Walk {
 public:
  explicit Walk(const std::string& path) { add(path); }

  Descriptor last() {
    while (folder_ && !names_.empty()) {
      const std::string name = std::move(names_.back());
      names_.pop_back();
      // A folder is opened as such, which mounts it where that is left to the first use (autofs).
      if (Descriptor next(::openat(folder_.number(), name.c_str(), O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC));
          next)
        folder_ = std::move(next);
      else if (!follow(name))
        return {};
    }
    return std::move(folder_);
  }

 private:
  void add(const std::string& text) {
    const char* begin = text.starts_with('/') ? "/" : ".";
    if (!folder_ || *begin == '/') folder_ = Descriptor(::open(begin, O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (std::size_t end = text.size(); end != std::string::npos;) {
      const std::size_t slash = end == 0 ? std::string::npos : text.rfind('/', end - 1);
      const std::size_t first = slash == std::string::npos ? 0 : slash + 1;
      if (end > first) names_.push_back(text.substr(first, end - first));
      end = slash;
    }
  }
  bool follow(const std::string& name) {
    constexpr int kMostLinks = 40;  // the limit of Linux
    const Descriptor link(::openat(folder_.number(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat facts {};
    if (!link || ::fstat(link.number(), &facts) != 0) return false;
    if (!S_ISLNK(facts.st_mode)) {
      errno = ENOTDIR;
      return false;
    }
    char text[PATH_MAX];
    const ssize_t length = ::readlinkat(link.number(), "", text, sizeof(text));
    if (length > 0 && !is_planted(facts, folder_) && ++links_ <= kMostLinks) {
      add(std::string(text, static_cast<std::size_t>(length)));
      return true;
    }
    errno = links_ > kMostLinks ? ELOOP : EACCES;
    return false;
  }

  Descriptor folder_;
  std::vector<std::string> names_;  ///< those to come, the next one last
  int links_ = 0;
};

/// Makes the folder if it is not there, and opens it.
Descriptor open_folder(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::size_t slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  const Descriptor above = Walk(slash == std::string::npos ? "." : path.substr(0, slash + 1)).last();
  if (!above || (!name.empty() && ::mkdirat(above.number(), name.c_str(), 0755) != 0 && errno != EEXIST)) return {};
  return Walk(path).last();
}

/// `directory` leads to the open folder, whatever becomes of its path; `shown` is its path.
int create_in(const std::string& directory, const std::string& shown, ProfileFile& file, profile::Header& header,
              std::uint64_t began_ns) {
  const std::string first_name = header.job_name;
  constexpr int kMostOfOneName = 1000;
  for (int number = 0; number < kMostOfOneName; ++number) {
    if (header.spawned != 0 || number > 0) {
      const std::string name = first_name + (header.spawned != 0 ? " spawned " : " again ") + std::to_string(number);
      copy_text(header.job_name, name);
      header.job = job_key(name, header.world_size);
    }
    if (is_of_earlier_job(directory, header, began_ns)) continue;
    const std::string name = "/" + profile::profile_file_name(header.job, header.rank);
    const std::string path = directory + name;
    if (is_rubbish(path)) ::unlink(path.c_str());
    const int error = file.create(path, header, shown + name);
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
  if (const char* started = std::getenv("TOPOWISE_PROFILE_PROCESS"); started != nullptr)
    header.started = static_cast<std::uint32_t>(std::strtoul(started, nullptr, 10));
  return header;
}

void describe_mpi(const Mpi& m, profile::Header& header) {
  header.spawned = is_spawned(m) ? 1 : 0;
  header.thread_level = thread_level(m);
  copy_text(header.mpi, m.family.name);
}

int create_own_file(ProfileFile& file, const char* directory, profile::Header& header, std::uint64_t began_ns,
                    std::string& absolute, struct stat* identity) {
  const Descriptor folder = open_folder(directory);
  if (!folder) return errno;
  if (identity != nullptr && ::fstat(folder.number(), identity) != 0) return errno;
  std::string inside = "/proc/self/fd/" + std::to_string(folder.number());
  char path[PATH_MAX];
  const ssize_t length = ::readlink(inside.c_str(), path, sizeof(path) - 1);
  if (length > 0) {
    path[length] = '\0';
  } else {  // there is no /proc
    if (::realpath(directory, path) == nullptr) return errno;
    inside = path;
  }
  absolute = path;
  return create_in(inside, absolute, file, header, began_ns);
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
