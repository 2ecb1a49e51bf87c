// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/child_process.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/file_size_limit.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/write_all.hpp>

namespace topowise {
namespace {

/// A driver's tool may print a few hundred kilobytes; more is something else.
constexpr std::size_t kMostOutput = std::size_t{16} << 20;

/// Programs that are asked now, each the first of a group. A signal that ends this process ends the groups first. A
/// signal for which the process has a signal handler, or which it ignores, is left alone.
class EndedTogether {
 public:
  /// Made before the program is started: until begin() such signals wait.
  EndedTogether() {
    sigset_t endings;
    ::sigemptyset(&endings);
    for (const int signal : kEndings) ::sigaddset(&endings, signal);
    ::pthread_sigmask(SIG_BLOCK, &endings, &before_);
    lock();
    ++starting_;
    if (holders_++ == 0)
      for (std::size_t i = 0; i < kEndings.size(); ++i) had_default_[i] = replace(kEndings[i], SIG_DFL, end_all);
    unlock();
  }
  EndedTogether(const EndedTogether&) = delete;
  EndedTogether& operator=(const EndedTogether&) = delete;
  ~EndedTogether() {
    if (is_starting_) begin(std::nullopt);  // an exception came before the program
    end();
    lock();
    if (--holders_ == 0)
      for (std::size_t i = 0; i < kEndings.size(); ++i)
        if (had_default_[i]) static_cast<void>(replace(kEndings[i], end_all, SIG_DFL));
    unlock();
  }

  void begin(std::optional<pid_t> group) {
    for (std::atomic<pid_t>& slot : groups_) {
      pid_t none = 0;
      if (!group || !slot.compare_exchange_strong(none, *group)) continue;
      mine_ = &slot;
      break;
    }
    is_starting_ = false;
    --starting_;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  /// Before the system may give the group's number to another process.
  void end() {
    if (mine_ != nullptr) mine_->store(0);
    mine_ = nullptr;
  }

  /// The signals that wait without this object.
  [[nodiscard]] const sigset_t& before() const { return before_; }
  /// In a new process, whose own the programs are not.
  static void forget() {
    for (std::atomic<pid_t>& slot : groups_) slot.store(0);
    starting_ = 0;
    if (std::exchange(holders_, 0) > 0)
      for (const int signal : kEndings) static_cast<void>(replace(signal, end_all, SIG_DFL));
    unlock();  // another thread of the parent may have held it
  }

 private:
  using Catcher = void (*)(int);
  static constexpr std::array kEndings{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
  static constexpr std::size_t kMost = 64;  ///< at one time; what is more ends alone

  static void end_all(int signal) {
    while (starting_.load() > 0) ::sched_yield();  // by another thread: in this one the signal would wait
    for (const std::atomic<pid_t>& slot : groups_)
      if (const pid_t group = slot.load(); group > 0) ::kill(-group, SIGKILL);
    static_cast<void>(replace(signal, end_all, SIG_DFL));
    ::raise(signal);  // arrives when this function returns
  }
  /// False if the signal does not go to `from`.
  static bool replace(int signal, Catcher from, Catcher to) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != from) return false;
    action = {};
    action.sa_handler = to;
    return ::sigaction(signal, &action, nullptr) == 0;
  }
  static void lock() {
    while (locked_.test_and_set()) ::sched_yield();
  }
  static void unlock() { locked_.clear(); }

  static inline std::array<std::atomic<pid_t>, kMost> groups_{};
  static inline std::atomic<int> starting_ = 0;
  static inline std::atomic_flag locked_{};
  static inline int holders_ = 0;
  static inline std::array<bool, kEndings.size()> had_default_{};
  sigset_t before_{};
  bool is_starting_ = true;
  std::atomic<pid_t>* mine_ = nullptr;
};

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

/// What the child of vfork() is given. It shares this process's memory until it has become the program, so it only
/// makes system calls.
struct Start {
  char* const* words;
  int input, output, errors;
  int failure;  ///< where the child writes errno if it cannot become the program
  pid_t parent;
  const sigset_t* signals;  ///< those that wait
};

[[noreturn]] void become(const Start& start) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::setpgid(0, 0);
  ::sigprocmask(SIG_SETMASK, start.signals, nullptr);
  const bool joined = ::dup2(start.input, STDIN_FILENO) >= 0 && ::dup2(start.output, STDOUT_FILENO) >= 0 &&
                      ::dup2(start.errors, STDERR_FILENO) >= 0;
  if (joined && ::getppid() == start.parent) ::execvp(start.words[0], start.words);
  const int reason = errno;
  (void)!::write(start.failure, &reason, sizeof reason);
  ::_exit(127);
}

/// Starts a program as fast in a process of many gigabytes as in a small one, and without the functions that libraries
/// register for fork(). posix_spawn() would do the same, but has no way to end the program with its parent. Nothing
/// with errno if it cannot be started.
std::optional<pid_t> start(const std::vector<std::string>& command, int output, int errors, const sigset_t& signals) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::optional<Pipe> failure = open_pipe();
  if (!input || !failure) return std::nullopt;
  const Start how{words.data(), input.number(), output, errors, failure->write.number(), ::getpid(), &signals};
  const pid_t child = ::vfork();  // NOLINT(*.vfork): become() is written for it
  if (child == 0) become(how);
  if (child < 0) return std::nullopt;
  failure->write.close();
  int reason = 0;
  if (::read(failure->read.number(), &reason, sizeof reason) != sizeof reason) return child;
  static_cast<void>(status_of(child));
  errno = reason;
  return std::nullopt;
}

/// True if a folder of PATH has a file of this name. A folder into which this user may not look has none.
bool is_in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), F_OK) == 0;
  const char* const path = std::getenv("PATH");
  const std::vector<std::string_view> folders = split(path == nullptr ? "/bin:/usr/bin" : path, ':');
  return std::ranges::any_of(folders, [&](std::string_view folder) {
    return ::access((std::string(folder.empty() ? "." : folder) + '/' + program).c_str(), F_OK) == 0;
  });
}

ProgramResult not_started(const std::string& program, int reason) {
  if (reason == ENOENT || reason == ENOTDIR || (reason == EACCES && !is_in_path(program)))
    return {{}, NoOutput::missing, {}, {}};
  return {{}, NoOutput::not_started, std::strerror(reason), {}};
}

/// The child ends with this process.
std::optional<pid_t> start(const std::function<std::string()>& answer, int output, const sigset_t& signals) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return std::nullopt;
  if (child > 0) {
    ::setpgid(child, child);
    return child;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  if (::getppid() != parent) ::_exit(1);
  EndedTogether::forget();
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  // This must not be exit(), which would do a second time what the parent does at its own end.
  try {
    ::_exit(write_all(output, answer()) ? 0 : 1);
  } catch (...) {
    ::_exit(1);
  }
}

using Clock = std::chrono::steady_clock;

/// All that can be read until the other end is closed, before `end` and of at most `most` bytes.
ProgramResult read_pipe(int input, Clock::time_point end, std::size_t most) {
  std::string output;
  std::array<char, 65536> buffer;
  while (output.size() <= most) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return {{}, NoOutput::late, {}, {}};
    pollfd waiting{input, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return {{}, NoOutput::failed, {}, {}};
    if (ready == 0) return {{}, NoOutput::late, {}, {}};
    const ssize_t got = ::read(input, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {{}, NoOutput::failed, {}, {}};
    if (got == 0) return {std::move(output), std::nullopt, {}, {}};
    output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return {{}, NoOutput::too_long, {}, {}};
}

/// How a child that was not killed has ended, if not well: "status 1", "signal 9".
std::string bad_ending(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "status " + std::to_string(WEXITSTATUS(status));
}

/// Waits until a child has ended: whether it ended with status 0, or nothing if it has not ended at `end`. Its number
/// stays its own.
std::optional<bool> has_ended_well(pid_t child, Clock::time_point end) {
  for (;;) {
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
      return true;
    if (ended.si_pid == child) return ended.si_code == CLD_EXITED && ended.si_status == 0;
    if (Clock::now() >= end) return std::nullopt;
    constexpr int kMilliseconds = 1;
    ::poll(nullptr, 0, kMilliseconds);
  }
}

/// Returns what a child writes, if the child ends with status 0 and in time. Otherwise it is killed with the processes
/// that it has started.
ProgramResult result_of(pid_t child, EndedTogether& together, Pipe pipe, int seconds, std::size_t most) {
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  pipe.write.close();
  ProgramResult result = read_pipe(pipe.read.number(), end, most);
  pipe.read.close();
  const std::optional<bool> is_well = result.failure ? std::nullopt : has_ended_well(child, end);
  if (!result.failure && !is_well) result = {{}, NoOutput::late, {}, {}};
  if (!is_well.value_or(false)) ::kill(-child, SIGKILL);
  together.end();
  const int status = status_of(child);
  if (result.failure) return result;
  if (std::string ending = bad_ending(status); !ending.empty()) return {{}, NoOutput::failed, std::move(ending), {}};
  return result;
}

/// Memory into which a program writes its errors without ever waiting for a reader. What does not fit is lost, and all
/// where there can be no such memory.
Descriptor room_for_errors() {
  constexpr off_t kMost = 1 << 20;
  Descriptor room(::memfd_create("errors", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (room && keeps_file_size_limit(kMost) && ::ftruncate(room.number(), kMost) == 0 &&
      ::fcntl(room.number(), F_ADD_SEALS, F_SEAL_GROW) == 0)
    return room;
  return Descriptor(::open("/dev/null", O_RDWR | O_CLOEXEC));
}

/// The first line of what was written, without what a terminal would obey.
std::string first_line(const Descriptor& room) {
  std::array<char, 512> begin{};
  const ssize_t got = ::pread(room.number(), begin.data(), begin.size(), 0);
  if (got <= 0) return {};
  const std::string_view text(begin.data(), static_cast<std::size_t>(got));
  return printable(text.substr(0, text.find_first_of(std::string_view("\n\0", 2))));
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
  std::optional<Pipe> pipe = open_pipe();
  const Descriptor errors = room_for_errors();
  EndedTogether together;
  const std::optional<pid_t> child =
      pipe && errors ? start(command, pipe->write.number(), errors.number(), together.before()) : std::nullopt;
  const int reason = errno;
  together.begin(child);
  if (!child) return not_started(command.front(), reason);
  ProgramResult result = result_of(*child, together, *std::move(pipe), seconds, most);
  if (result.failure) result.complaint = first_line(errors);
  return result;
}

ProgramResult run_program(const std::vector<std::string>& command, int seconds) {
  return run_program(command, seconds, kMostOutput);
}

std::string why_no_output(const ProgramResult& result, int seconds) {
  switch (*result.failure) {
    case NoOutput::missing:
      return "not installed";
    case NoOutput::not_started:
      return fmt::format("it cannot be started: {}", result.ending);
    case NoOutput::late:
      return fmt::format("it has not ended in {} s", seconds);
    case NoOutput::too_long:
      return "it prints too much";
    case NoOutput::failed:
      break;
  }
  return fmt::format("it ended with {}{}{}", result.ending, result.complaint.empty() ? "" : ": ", result.complaint);
}

std::optional<std::string> program_output(const std::vector<std::string>& command, int seconds) {
  return output_if_any(run_program(command, seconds));
}

std::optional<std::string> answer_of_child(const std::function<std::string()>& answer, int seconds) {
  return output_if_any(result_of_child(answer, seconds, kMostOutput));
}

ProgramResult result_of_child(const std::function<std::string()>& answer, int seconds, std::size_t most) {
  std::optional<Pipe> pipe = open_pipe();
  EndedTogether together;
  const std::optional<pid_t> child = pipe ? start(answer, pipe->write.number(), together.before()) : std::nullopt;
  together.begin(child);
  if (!child) return {{}, NoOutput::failed, {}, {}};
  return result_of(*child, together, *std::move(pipe), seconds, most);
}

LongLivedChild::LongLivedChild(const std::function<HeldAnswer()>& answer) {
  std::optional<Pipe> answers = open_pipe();
  std::optional<Pipe> life = open_pipe();
  if (!answers || !life) return;
  child_ = ::fork();
  if (child_ == 0) {
    EndedTogether::forget();
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
  std::optional<std::string> text =
      output_if_any(read_pipe(answer_.number(), Clock::now() + std::chrono::seconds(seconds), kMostOutput));
  if (!text) ::kill(child_, SIGKILL);
  return text;
}

}  // namespace topowise
