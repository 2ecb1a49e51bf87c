// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/meeting/meeting_place.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>

namespace topowise::job {
namespace {

std::string folder_of_job(std::uint64_t job) {
  return fmt::format("{:016x}", job);
}

struct Candidate {
  std::string place;
  std::string name;
};

/// The names that this user's folder may have, in the order in which all processes try them.
std::vector<Candidate> candidates(const std::vector<std::string>& places) {
  constexpr int kNames = 4;
  std::vector<Candidate> all;
  for (const std::string& place : places) {
    const std::string name = fmt::format("topowise-{}", ::geteuid());
    all.push_back({place, name});
    for (int number = 1; number < kNames; ++number) all.push_back({place, fmt::format("{}-{}", name, number)});
  }
  return all;
}

/// A meeting that ends may remove the outer folder before the inner one is in it, or an empty inner one. Then both are
/// made again, so that no process goes on to another name than the others.
PrivateFolder make_in(const std::string& place, const std::string& name, const std::string& job) {
  constexpr int kAttempts = 1000;
  PrivateFolder meeting;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const PrivateFolder user = PrivateFolder::make(place, name);
    meeting = user ? user.make_below(job) : PrivateFolder();
    if (meeting || errno != ENOENT) break;
    if (::access(place.c_str(), F_OK) != 0) break;
  }
  return meeting;
}

}  // namespace

std::vector<std::string> meeting_places() {
  std::vector<std::string> places{"/dev/shm"};
  const auto add = [&](const char* variable) {
    if (const char* place = std::getenv(variable); place != nullptr && *place != '\0') places.emplace_back(place);
  };
  add("TMPDIR");
  places.emplace_back("/tmp");
  add("XDG_RUNTIME_DIR");
  add("HOME");
  return places;
}

PrivateFolder open_meeting(const std::vector<std::string>& places, std::uint64_t job) {
  std::string why = "no folder";
  for (const auto& [place, name] : candidates(places)) {
    PrivateFolder meeting = make_in(place, name, folder_of_job(job));
    if (meeting) return meeting;
    const bool taken = errno == EACCES && ::access(place.c_str(), W_OK | X_OK) == 0;
    if (why == "no folder")
      why = fmt::format("'{}/{}': {}", place, name, taken ? "others can use it" : std::strerror(errno));
  }
  throw not_available(fmt::format("the ranks of this node cannot meet in {}", why));
}

void close_meeting(const std::vector<std::string>& places, std::uint64_t job) {
  for (const auto& [place, name] : candidates(places)) {
    const PrivateFolder user = PrivateFolder::open(place, name);
    if (!user) continue;
    user.remove_below(folder_of_job(job));
    remove_private_folder(place, name);
  }
}

std::vector<PrivateFolder> user_folders(const std::vector<std::string>& places) {
  std::vector<PrivateFolder> folders;
  for (const auto& [place, name] : candidates(places)) {
    if (PrivateFolder user = PrivateFolder::open(place, name)) folders.push_back(std::move(user));
  }
  return folders;
}

bool is_meeting(const std::string& name) {
  return name.size() == folder_of_job(0).size() &&
         std::ranges::all_of(name, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

}  // namespace topowise::job
