// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/live/program_output.hpp>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include <topowise/base/descriptor.hpp>

extern char** environ;  // NOLINT: POSIX's own name

namespace topowise {
namespace {

/// A driver's tool may print a few hundred kilobytes; more is something else.
constexpr std::size_t kMostOutput = std::size_t{16} << 20;

std::optional<pid_t> start(const std::vector<std::string>& command, int output) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) return std::nullopt;
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return std::nullopt;
  return child;
}

bool write_all(int output, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = ::write(output, text.data() + done, text.size() - done);
    if (put < 0 && errno != EINTR) return false;
    if (put > 0) done += static_cast<std::size_t>(put);
  }
  return true;
}

std::optional<pid_t> start(const std::function<std::string()>& answer, int output) {
  const pid_t child = ::fork();
  if (child < 0) return std::nullopt;
  if (child > 0) return child;
  // Not exit(): what the parent has to do at its end is not to be done twice.
  try {
    ::_exit(write_all(output, answer()) ? 0 : 1);
  } catch (...) {
    ::_exit(1);
  }
}

/// What a child writes, if it ends well and in time.
template <class Work>
std::optional<std::string> output_of(const Work& work, int seconds) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const std::optional<pid_t> child = start(work, writing.number());
  writing.close();
  const std::optional<std::string> output = child ? read_pipe(reading.number(), seconds) : std::nullopt;
  reading.close();  // a child that still writes ends by that
  if (!child) return std::nullopt;
  if (!output) ::kill(*child, SIGKILL);
  int status = 0;
  while (::waitpid(*child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return output;
}

}  // namespace

std::optional<std::string> read_pipe(int input, int seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  std::string output;
  std::array<char, 4096> buffer;
  while (output.size() < kMostOutput) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return std::nullopt;
    pollfd waiting{input, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    const ssize_t got = ::read(input, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return output;
    output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

std::optional<std::string> program_output(const std::vector<std::string>& command, int seconds) {
  return output_of(command, seconds);
}

std::optional<std::string> answer_of_child(const std::function<std::string()>& answer, int seconds) {
  return output_of(answer, seconds);
}

}  // namespace topowise
