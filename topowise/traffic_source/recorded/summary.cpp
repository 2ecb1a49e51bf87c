// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/recorded/summary.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/profile/format.hpp>
#include <topowise/traffic_source/recorded/profile_file.hpp>

namespace topowise {
namespace {

std::optional<profile::Header> header_of(const std::string& path) try {
  std::string why_not;
  return recorded::read_header(read_found_head(path, sizeof(profile::Header)), why_not);
} catch (const Error&) {  // removed meanwhile, because the next run of the same program is ending
  return std::nullopt;
}

}  // namespace

std::optional<ProfileSummary> summarize_profile(const std::string& directory) {
  std::map<std::uint64_t, std::pair<std::uint64_t, ProfileSummary>> jobs;  // by the job's number, with its latest begin
  std::error_code failure;
  if (!std::filesystem::is_directory(directory, failure)) return std::nullopt;
  for (std::filesystem::directory_iterator entry(directory, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string path = entry->path().string();
    if (!path.ends_with(profile::kFileSuffix)) continue;
    const std::optional<profile::Header> header = header_of(path);
    if (!header || header->spawned != 0) continue;
    auto& [begin, job] = jobs[header->job];
    begin = std::max(begin, header->start_ns);
    job.job = header->job;
    job.program = std::string(header->program, ::strnlen(header->program, sizeof(header->program)));
    job.ranks = static_cast<std::size_t>(std::max(header->world_size, 0));
    ++job.files;
    if (header->state == profile::State::finalized) ++job.finalized;
    job.reordered = job.reordered || header->reordered != 0;
    for (const char(&gpu)[sizeof(header->gpus[0])] : header->gpus) {
      const std::string name(gpu, ::strnlen(gpu, sizeof(gpu)));
      if (!name.empty()) job.gpus[static_cast<std::size_t>(header->rank)].push_back(printable(name));
    }
  }
  std::optional<ProfileSummary> newest;
  std::uint64_t latest = 0;
  for (const auto& [number, job] : jobs) {
    if (newest && job.first < latest) continue;
    latest = job.first;
    newest = job.second;
  }
  return newest;
}

}  // namespace topowise
