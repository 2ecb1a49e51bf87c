// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/older_jobs.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/open_regular.hpp>

namespace topowise::interpose {
namespace {

/// The job part of a profile's file name, or an empty string.
std::string job_of(const std::string& name) {
  constexpr std::size_t kDigits = 16;
  const bool is_profile = name.size() > kDigits + profile::kFileSuffix.size() && name[kDigits] == '.' &&
                          name.ends_with(profile::kFileSuffix);
  return is_profile ? name.substr(0, kDigits) : std::string();
}

/// All files of one job in the directory, as far as they are this user's.
struct Job {
  std::vector<std::string> names;
  std::uint64_t start_ns = ~std::uint64_t{0};  ///< when its first process began
  bool alive = false;                          ///< one process is enough
  bool unknown = false;
};

bool read_header(const Descriptor& file, profile::Header& header) {
  return ::pread(file.number(), &header, sizeof(header), 0) == sizeof(header) &&
         std::memcmp(header.magic, profile::kMagic, sizeof(header.magic)) == 0 &&
         header.byte_order == profile::kByteOrder;
}

void look_at(const Descriptor& file, const std::string& path, Job& job) {
  profile::Header header{};
  if (!read_header(file, header)) return;
  job.start_ns = std::min(job.start_ns, header.start_ns);
  const Writer writer = job.alive ? Writer::alive : writer_of(path, header);
  job.alive = writer == Writer::alive;
  job.unknown = job.unknown || writer == Writer::unknown;
}

bool is_own(const Descriptor& file) {
  struct stat facts {};
  return file && ::fstat(file.number(), &facts) == 0 && facts.st_uid == ::geteuid();
}

std::map<std::string, Job> jobs_in(DIR* listing, const std::string& directory, const std::string& except) {
  std::map<std::string, Job> jobs;
  while (const dirent* entry = readdir(listing)) {
    const std::string name = entry->d_name;
    const std::string its_job = job_of(name);
    if (its_job.empty() || its_job == except) continue;
    const Descriptor file(open_regular_at(::dirfd(listing), name.c_str(), O_RDONLY));
    if (!is_own(file)) continue;
    std::string path = directory;
    path.append("/").append(name);
    Job& job = jobs[its_job];
    look_at(file, path, job);
    job.names.push_back(name);
  }
  return jobs;
}

bool is_same(int folder, const struct stat& identity) {
  struct stat facts {};
  return ::fstat(folder, &facts) == 0 && facts.st_dev == identity.st_dev && facts.st_ino == identity.st_ino;
}

}  // namespace

bool read_profile_header(const std::string& path, profile::Header& header) {
  const Descriptor file(open_regular(path.c_str(), O_RDONLY));
  return read_header(file, header);
}

KeptJobs remove_older_jobs(const std::string& directory, std::uint64_t job, std::uint64_t start_ns,
                           const struct stat* identity) {
  KeptJobs kept;
  DIR* listing = opendir(directory.c_str());
  if (listing == nullptr) return kept;
  if (identity != nullptr && !is_same(dirfd(listing), *identity)) {
    closedir(listing);
    return kept;
  }
  const std::map<std::string, Job> jobs = jobs_in(listing, directory, job_of(profile::profile_file_name(job, 0)));
  for (const auto& [name, other] : jobs) {
    if (other.start_ns >= start_ns) continue;
    if (other.alive || other.unknown) {
      ++(other.alive ? kept.alive : kept.unknown);
      kept.files = name + ".*" + std::string(profile::kFileSuffix);
    } else {
      for (const std::string& file : other.names) ::unlinkat(::dirfd(listing), file.c_str(), 0);
    }
  }
  closedir(listing);
  return kept;
}

}  // namespace topowise::interpose
