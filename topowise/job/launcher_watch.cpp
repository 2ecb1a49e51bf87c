// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/launcher_watch.hpp>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include <topowise/base/text.hpp>
#include <topowise/job/process.hpp>
#include <topowise/launch/job_name.hpp>

namespace topowise::job {
namespace {

/// Nothing if there is no such process, or /proc hides it.
std::optional<pid_t> parent_of(pid_t process) {
  if (process == ::getpid()) return ::getppid();
  const std::optional<std::int64_t> parent = parse_integer(process_stat_field(std::to_string(process), 4));
  return parent ? std::optional(static_cast<pid_t>(*parent)) : std::nullopt;
}

/// Whether a process has this process's rank of the same launcher in its environment. False if that cannot be read.
bool has_own_rank(pid_t process) {
  std::map<std::string, std::string> variables;
  std::ifstream file(fmt::format("/proc/{}/environ", process));
  for (std::string entry; std::getline(file, entry, '\0');) {
    if (const std::size_t sign = entry.find('='); sign != std::string::npos)
      variables.emplace(entry.substr(0, sign), entry.substr(sign + 1));
  }
  const Process its = this_process([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
  const Process own = this_process();
  return !own.launcher.empty() && its.launcher == own.launcher && its.rank == own.rank;
}

/// Whether neither output of this process has a reader any more. Files have no reader, and count as read.
bool nobody_reads_output() {
  std::array<pollfd, 2> outputs{{{STDOUT_FILENO, 0, 0}, {STDERR_FILENO, 0, 0}}};
  return ::poll(outputs.data(), outputs.size(), 0) == 2 &&
         std::ranges::all_of(outputs, [](const pollfd& output) { return (output.revents & (POLLERR | POLLHUP)) != 0; });
}

}  // namespace

LauncherWatch::LauncherWatch(const std::function<bool(pid_t)>& is_of_rank) {
  pid_t process = ::getpid();
  do {
    const std::optional<pid_t> parent = parent_of(process);
    if (!parent) break;
    links_.push_back({process, *parent});
    process = *parent;
  } while (process > 0 && is_of_rank(process));
}

bool LauncherWatch::gone() const {
  for (const Link& link : links_)
    if (parent_of(link.process).value_or(link.parent) != link.parent) return true;
  return links_.back().parent == 0 && nobody_reads_output();
}

const LauncherWatch& launcher_watch() {
  static const LauncherWatch kWatch(has_own_rank);
  return kWatch;
}

}  // namespace topowise::job
