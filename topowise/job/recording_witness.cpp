// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/recording_witness.hpp>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/text.hpp>
#include <topowise/job/preload.hpp>

namespace topowise::job {
namespace {

// Numbers of system calls that are the same on all processors; older headers lack the names.
constexpr long kPidfdOpen = 434;
constexpr long kCloseRange = 436;

struct Letter {
  pid_t process = 0;
  Told what{};
};

/// The next letter that is there, of this user; nothing if there is none.
std::optional<Letter> next_letter(int socket) {
  for (;;) {
    char what = 0;
    iovec part{&what, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> room{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    const ssize_t got = ::recvmsg(socket, &message, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    const cmsghdr* control = CMSG_FIRSTHDR(&message);
    ucred sender{};
    if (got != 1 || control == nullptr || control->cmsg_type != SCM_CREDENTIALS) continue;
    std::memcpy(&sender, CMSG_DATA(control), sizeof sender);
    if (sender.uid == ::getuid()) return Letter{sender.pid, static_cast<Told>(what)};
  }
}

/// Closes the descriptors first .. last.
void close_from(int first, int last) {
  if (first > last || ::syscall(kCloseRange, first, last, 0) == 0) return;
  const auto most = static_cast<int>(std::min<long>(::sysconf(_SC_OPEN_MAX), 1 << 16));
  for (int number = first; number <= last && number < most; ++number) ::close(number);
}

/// Leaves nothing of this process in use but the two descriptors and standard error: a launcher may see by the end of a
/// pipe that a rank has ended.
void let_go(int process, int socket) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTOU})
    std::signal(signal, SIG_IGN);
  ::setsid();
  ::prctl(PR_SET_NAME, "topowise-wait");
  static_cast<void>(::chdir("/"));
  std::array<int, 3> kept{process, socket, STDERR_FILENO};
  std::ranges::sort(kept);
  int first = 0;
  for (const int number : kept) {
    close_from(first, number - 1);
    first = number + 1;
  }
  close_from(first, std::numeric_limits<int>::max());
}

[[noreturn]] void wait_and_tell(int process, int socket, const std::string& directory) {
  Testimony testimony;
  std::array<pollfd, 2> events{{{process, POLLIN, 0}, {socket, POLLIN, 0}}};
  while ((events[0].revents & POLLIN) == 0) {
    if (::poll(events.data(), events.size(), -1) < 0 && errno != EINTR) ::_exit(1);
    // What the process sent before it ended is here by now.
    while (const std::optional<Letter> letter = next_letter(socket)) testimony.add(letter->process, letter->what);
  }
  if (const std::string line = testimony.line(directory); !line.empty()) {
    const std::string text = fmt::format("topowise: {}\n", line);
    static_cast<void>(::write(STDERR_FILENO, text.data(), text.size()));
  }
  ::_exit(0);
}

/// An abstract socket with a name that the system chooses, and that name.
Descriptor new_socket(std::string& name) {
  Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return socket;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socklen_t length = sizeof(address.sun_family);
  const int yes = 1;
  if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), length) != 0) return {};
  if (::setsockopt(socket.number(), SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) != 0) return {};
  length = sizeof address;
  if (::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
  constexpr std::size_t kBeforeName = offsetof(sockaddr_un, sun_path) + 1;
  if (length > kBeforeName) name.assign(address.sun_path + 1, length - kBeforeName);
  return socket;
}

}  // namespace

void Testimony::add(pid_t process, Told what) {
  if (what == Told::loaded) processes_[process].spoke = false;
  if (what == Told::records) processes_[process] = {.records = true, .spoke = false};
  if (what == Told::spoke) processes_[process].spoke = true;
  if (what == Told::mute && processes_.contains(process)) processes_[process].mute = true;
  if (what == Told::child_records) children_recorded_ = true;
  if (what == Told::spoke_for_all) all_said_ = true;
}

std::string Testimony::line(const std::string& directory) const {
  const auto recorded = [](const auto& each) { return each.second.records; };
  const auto silent = [](const auto& each) { return !each.second.spoke; };
  const bool any_recorded = std::ranges::any_of(processes_, recorded);
  const auto lost = std::ranges::find_if(
      processes_, [&](const auto& each) { return silent(each) && recorded(each) == any_recorded; });
  if (lost == processes_.end() || all_said_) return {};
  if (any_recorded || children_recorded_)
    return fmt::format("rank 0 {}; what was recorded until then, if anything: topowise traffic '{}'",
                       lost->second.mute ? "ended with its standard error closed" : "ended by a signal or by _exit()",
                       printable(directory));
  if (lost->second.mute)
    return "nothing was recorded: neither MPI nor NCCL began in rank 0 (which closed its standard error before it "
           "ended, so that nothing says why)";
  return "nothing was recorded: rank 0 ended by a signal, by _exit() or in a program that does not load the recording "
         "library, before MPI or NCCL began";
}

void watch_recording(const std::string& directory) {
  if (::getpid() == 1) return;
  const Descriptor program(static_cast<int>(::syscall(kPidfdOpen, ::getpid(), 0)));
  std::string name;
  const Descriptor socket = new_socket(name);
  if (!program || !socket || name.empty()) return;
  const pid_t child = ::fork();
  if (child == 0) {
    // Its child gets another parent, so that the program, which waits for its own children, never meets it.
    if (::fork() != 0) ::_exit(0);
    let_go(program.number(), socket.number());
    wait_and_tell(program.number(), socket.number(), directory);
  }
  if (child < 0) return;
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  set_variable(kWitnessVariable, name);
}

}  // namespace topowise::job
