// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/child_process.hpp>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/write_all.hpp>

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

std::optional<pid_t> start(const std::function<std::string()>& answer, int output) {
  const pid_t child = ::fork();
  if (child < 0) return std::nullopt;
  if (child > 0) return child;
  // This must not be exit(), which would do a second time what the parent does at its own end.
  try {
    ::_exit(write_all(output, answer()) ? 0 : 1);
  } catch (...) {
    ::_exit(1);
  }
}

/// The two ends of a pipe that programs do not inherit.
struct Pipe {
  Descriptor read;
  Descriptor write;
};

std::optional<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// The exit status of a child that has ended, as waitpid() reports it.
int status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

/// All that can be read until the other end is closed, in `seconds` and of at most `most` bytes.
ProgramResult read_pipe(int input, int seconds, std::size_t most) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  std::string output;
  std::array<char, 65536> buffer;
  while (output.size() <= most) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return {{}, NoOutput::late};
    pollfd waiting{input, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return {{}, NoOutput::failed};
    if (ready == 0) return {{}, NoOutput::late};
    const ssize_t got = ::read(input, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {{}, NoOutput::failed};
    if (got == 0) return {std::move(output), std::nullopt};
    output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return {{}, NoOutput::too_long};
}

/// Returns what a child writes, if the child ends with status 0 and in time.
template <class Work>
ProgramResult result_of(const Work& work, int seconds, std::size_t most) {
  std::optional<Pipe> pipe = open_pipe();
  const std::optional<pid_t> child = pipe ? start(work, pipe->write.number()) : std::nullopt;
  if (!child) return {{}, NoOutput::failed};
  pipe->write.close();
  ProgramResult result = read_pipe(pipe->read.number(), seconds, most);
  pipe->read.close();
  if (result.failure) ::kill(*child, SIGKILL);
  const int status = status_of(*child);
  if (result.failure || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return result;
  return {{}, NoOutput::failed};
}

std::optional<std::string> output_if_any(ProgramResult result) {
  if (result.failure) return std::nullopt;
  return std::move(result.output);
}

/// Writes the answer, keeps what the answer holds until the writing end of `life` is closed, and ends the process.
[[noreturn]] void serve(const std::function<HeldAnswer()>& answer, Descriptor output, const Descriptor& life) {
  try {
    const HeldAnswer held = answer();
    if (!write_all(output.number(), held.text)) ::_exit(1);
    output.close();
    char nothing = 0;
    while (::read(life.number(), &nothing, 1) < 0 && errno == EINTR) continue;
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& command, int seconds, std::size_t most) {
  return result_of(command, seconds, most);
}

std::optional<std::string> program_output(const std::vector<std::string>& command, int seconds) {
  return output_if_any(result_of(command, seconds, kMostOutput));
}

std::optional<std::string> answer_of_child(const std::function<std::string()>& answer, int seconds) {
  return output_if_any(result_of(answer, seconds, kMostOutput));
}

LongLivedChild::LongLivedChild(const std::function<HeldAnswer()>& answer) {
  std::optional<Pipe> answers = open_pipe();
  std::optional<Pipe> life = open_pipe();
  if (!answers || !life) return;
  child_ = ::fork();
  if (child_ == 0) {
    life->write.close();
    serve(answer, std::move(answers->write), life->read);
  }
  if (child_ < 0) return;
  answer_ = std::move(answers->read);
  life_ = std::move(life->write);
}

LongLivedChild::~LongLivedChild() {
  answer_.close();
  life_.close();
  if (child_ > 0) status_of(child_);
}

std::optional<std::string> LongLivedChild::answer(int seconds) {
  if (child_ < 0) return std::string();
  std::optional<std::string> text = output_if_any(read_pipe(answer_.number(), seconds, kMostOutput));
  if (!text) ::kill(child_, SIGKILL);
  return text;
}

}  // namespace topowise
