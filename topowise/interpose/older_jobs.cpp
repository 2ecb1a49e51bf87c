// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/older_jobs.hpp>

#include <dirent.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>

#include <topowise/profile/format.hpp>

namespace topowise::interpose {
namespace {

/// The job part of a profile's file name, or an empty string.
std::string job_of(const std::string& name) {
  constexpr std::size_t kDigits = 16;
  const bool is_profile = name.size() > kDigits + profile::kFileSuffix.size() && name[kDigits] == '.' &&
                          name.ends_with(profile::kFileSuffix);
  return is_profile ? name.substr(0, kDigits) : std::string();
}

bool began_before(const std::string& path, std::uint64_t start_ns) {
  profile::Header header{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  return file.gcount() == sizeof(header) && std::memcmp(header.magic, profile::kMagic, sizeof(header.magic)) == 0 &&
         header.byte_order == profile::kByteOrder && header.start_ns < start_ns;
}

}  // namespace

void remove_older_jobs(const std::string& directory, std::uint64_t job, std::uint64_t start_ns) {
  DIR* listing = opendir(directory.c_str());
  if (listing == nullptr) return;
  std::map<std::string, bool> older;  // one file tells for its job: a directory may hold a hundred thousand of them
  older[job_of(profile::profile_file_name(job, 0))] = false;
  while (const dirent* entry = readdir(listing)) {
    const std::string name = entry->d_name;
    const std::string its_job = job_of(name);
    if (its_job.empty()) continue;
    std::string path = directory;
    path.append("/").append(name);
    const auto [known, is_new] = older.try_emplace(its_job, false);
    if (is_new) known->second = began_before(path, start_ns);
    if (known->second) ::unlink(path.c_str());
  }
  closedir(listing);
}

}  // namespace topowise::interpose
