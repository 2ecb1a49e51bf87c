// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/profile_store.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/hash.hpp>
#include <topowise/base/private_folder.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/write_target.hpp>
#include <topowise/job/program_file.hpp>

namespace topowise::job {
namespace {

namespace fs = std::filesystem;

/// Programs to which a file, named on the command line, says what to run.
constexpr std::array<std::string_view, 12> kInterpreters{"python", "bash", "sh",  "dash",  "env",     "node",
                                                         "perl",   "ruby", "lua", "julia", "Rscript", "numactl"};

bool is_interpreter(const std::string& name) {
  return std::ranges::any_of(kInterpreters, [&](std::string_view interpreter) {
    const bool begins = name.starts_with(interpreter);
    return begins &&
           std::ranges::all_of(name.substr(interpreter.size()), [](char c) { return is_digit(c) || c == '.'; });
  });
}

/// Why others could exchange what a user puts into a folder; empty if they cannot. Members of a group to which its
/// owner has given the right to write are no others.
std::string why_unsafe(const std::string& folder, const struct stat& facts) {
  const bool own = facts.st_uid == ::geteuid();
  if (!own && facts.st_uid != 0) return fmt::format("'{}' belongs to user {}", folder, facts.st_uid);
  const mode_t writers = own ? S_IWOTH : S_IWGRP | S_IWOTH;
  if ((facts.st_mode & writers) == 0 || (facts.st_mode & S_ISVTX) != 0) return {};
  return fmt::format("others can exchange what is in '{}' (chmod +t)", folder);
}

std::string why_not_made(const std::string& folder, int error) {
  if (error == ENOTDIR || error == ELOOP) return fmt::format("'{}' is no folder", folder);
  if (error == EACCES && ::access(folder.c_str(), F_OK) == 0)
    return fmt::format("'{}' belongs to another user, or others can write to it", folder);
  return fmt::format("cannot make the folder '{}': {}", folder, std::strerror(error));
}

}  // namespace

std::string program_of(const std::vector<std::string>& command, const std::string& search_path) {
  if (command.empty()) return {};
  std::error_code failure;
  if (is_interpreter(fs::path(command.front()).filename().string())) {
    const auto script = std::find_if(command.begin() + 1, command.end(),
                                     [&](const std::string& word) { return fs::is_regular_file(word, failure); });
    if (script != command.end()) return fs::weakly_canonical(*script, failure).string();
    return fmt::format("{}", fmt::join(command, " "));  // "sh -c ...", "python3 -m ...": the words are the program
  }
  const std::optional<std::string> program = file_of_command(command.front(), search_path);
  return program ? fs::weakly_canonical(*program, failure).string() : command.front();
}

std::optional<std::string> store_folder(
    const std::function<std::optional<std::string>(const std::string&)>& environment) {
  const auto set = [&](const char* name) {
    std::optional<std::string> value = environment(name);
    return value && !value->empty() ? value : std::nullopt;
  };
  if (const auto own = set("TOPOWISE_PROFILES")) return *own;
  if (const auto cache = set("XDG_CACHE_HOME"); cache && cache->starts_with('/')) return *cache + "/topowise/profiles";
  if (const auto home = set("HOME")) return *home + "/.cache/topowise/profiles";
  return std::nullopt;
}

StoredProfile open_stored_profile(const std::string& store, const std::string& program, std::size_t ranks, bool named) {
  std::string folder = store;
  const auto place = [&] { return stored_profile(folder, program, ranks); };
  try {
    make_folders(store, !named);
  } catch (const Error& error) {
    return {place(), error.diagnostics().front().what};
  }
  struct stat facts {};
  if (::stat(store.c_str(), &facts) != 0) return {place(), why_not_made(store, errno)};
  if (std::string why = why_unsafe(store, facts); !why.empty()) return {place(), std::move(why)};
  if (facts.st_uid != ::geteuid()) {
    const std::string own = std::to_string(::geteuid());
    folder += "/" + own;
    if (!PrivateFolder::make(store, own, OthersMay::read)) return {place(), why_not_made(folder, errno)};
  }
  const std::string path = place();
  if (PrivateFolder::make(folder, fs::path(path).filename().string(), OthersMay::read)) return {path, {}};
  return {path, why_not_made(path, errno)};
}

std::string stored_profile(const std::string& store, const std::string& program, std::size_t ranks) {
  Fnv1a hash;
  hash.add(program);
  return fmt::format("{}/{}-{:08x}-{}.traffic", store,
                     fs::path(program.substr(0, program.find(' '))).filename().string(), hash.value() >> 32, ranks);
}

}  // namespace topowise::job
