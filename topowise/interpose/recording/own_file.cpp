// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/own_file.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

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

/// Whether the file belongs to a process that is done, or is none.
bool may_be_replaced(const std::string& path) {
  profile::Header header{};
  return !read_profile_header(path, header) || writer_of(path, header) != Writer::alive;
}

/// An older file of the same job and rank is unlinked, not overwritten: its process may still have it mapped. But jobs
/// that one launcher spawns may have one name, and so have all jobs without a launcher: the first of them takes the
/// name as it is, the second the next, and so on.
int create_in(const std::string& directory, ProfileFile& file, profile::Header& header) {
  const std::string first_name = header.job_name;
  constexpr int kMostOfOneName = 1000;
  for (int number = 0; number < kMostOfOneName; ++number) {
    if (header.spawned != 0 || number > 0) {
      const std::string name = first_name + (header.spawned != 0 ? " spawned " : " again ") + std::to_string(number);
      copy_text(header.job_name, name);
      header.job = job_key(name, header.world_size);
    }
    const std::string path = directory + "/" + profile::profile_file_name(header.job, header.rank);
    if (header.spawned == 0 && may_be_replaced(path)) ::unlink(path.c_str());
    const int error = file.create(path, header);
    if (error != EEXIST) return error;
  }
  return EEXIST;
}

}  // namespace

profile::Header describe_process(const Mpi& m, const World& here) {
  profile::Header header = profile::new_header(here.rank, here.size);
  const std::string job = job_name_here(here.size);
  header.job = job_key(job, here.size);
  header.spawned = is_spawned(m) ? 1 : 0;
  header.thread_level = thread_level(m);
  gethostname(header.host, sizeof(header.host) - 1);
  char program[sizeof(header.program)] = {};
  if (readlink("/proc/self/exe", program, sizeof(program) - 1) > 0) copy_text(header.program, program);
  copy_text(header.mpi, m.family.name);
  copy_text(header.job_name, job);
  return header;
}

int create_own_file(ProfileFile& file, const char* directory, profile::Header& header, std::string& absolute) {
  if (::mkdir(directory, 0755) != 0 && errno != EEXIST) return errno;
  char path[PATH_MAX];
  if (::realpath(directory, path) == nullptr) return errno;
  absolute = path;
  return create_in(absolute, file, header);
}

}  // namespace topowise::interpose
