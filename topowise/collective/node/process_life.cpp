// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/node/process_life.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/hash.hpp>
#include <topowise/base/text.hpp>

namespace topowise::collective {
namespace {

/// The beginning of a file of /proc; empty if there is none.
std::string read_small(const char* path) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 1024> text{};
  const ssize_t size = ::read(file, text.data(), text.size());
  ::close(file);
  return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

struct Status {
  char state = 'X';
  std::int64_t threads = 0;
  std::uint64_t started = 0;
};

/// Reads /proc/PID/stat, whose second field is the program's name in brackets and may hold anything.
std::optional<Status> status_of(pid_t pid) {
  std::array<char, 40> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", static_cast<int>(pid));
  const std::string text = read_small(path.data());
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  const std::vector<std::string_view> fields = split_blanks(std::string_view(text).substr(name_end + 1));
  constexpr std::size_t kThreads = 17;  // field 20 of the line
  constexpr std::size_t kStart = 19;    // field 22
  if (fields.size() <= kStart || fields[0].empty()) return std::nullopt;
  const std::optional<std::int64_t> threads = parse_integer(fields[kThreads]);
  const std::optional<std::int64_t> started = parse_integer(fields[kStart]);
  if (!threads || !started) return std::nullopt;
  return Status{fields[0][0], *threads, static_cast<std::uint64_t>(*started)};
}

}  // namespace

ProcessMark this_process_mark() {
  const std::optional<Status> status = status_of(::getpid());
  return {::getpid(), status ? status->started : 0};
}

// The first thread may have ended before the others. Once the last one has, the kernel has closed all files of the
// process, the driver's with them, and what it had on a GPU is gone.
bool has_ended(const ProcessMark& mark) {
  const std::optional<Status> status = status_of(mark.pid);
  if (!status || status->started != mark.started) return true;
  return (status->state == 'Z' || status->state == 'X') && status->threads <= 1;
}

std::uint64_t process_space() {
  Fnv1a number;
  number.add(read_small("/proc/sys/kernel/random/boot_id"));
  number.add(read_small("/proc/sys/kernel/hostname"));
  struct stat space {};
  if (::stat("/proc/self/ns/pid", &space) == 0) number.add_number(space.st_ino);
  return number.value();
}

}  // namespace topowise::collective
