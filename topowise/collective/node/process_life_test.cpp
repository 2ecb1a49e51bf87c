// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/node/process_life.hpp>

#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

using namespace topowise::collective;

namespace {

char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t end = text.rfind(')');
  return end == std::string::npos || end + 2 >= text.size() ? '?' : text[end + 2];
}

void wait_for_state(pid_t pid, char state) {
  while (state_of(pid) != state) ::usleep(1000);
}

}  // namespace

TEST_CASE("a process has ended when its last thread has, and not when its first has") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::thread([] {
      for (;;) ::pause();
    }).detach();
    // SYS_exit ends this thread only. pthread_exit() would unwind the frames of the test program, which catch all
    // exceptions.
    ::syscall(SYS_exit, 0);
  }
  wait_for_state(child, 'Z');
  std::ifstream file("/proc/" + std::to_string(child) + "/stat");
  const ProcessMark self = this_process_mark();
  CHECK_FALSE(has_ended(self));
  CHECK(has_ended({self.pid, self.started + 1}));  // another process has got the number
  // The child's mark: its number, and when it started.
  std::string text;
  std::getline(file, text);
  std::uint64_t started = 0;
  REQUIRE(std::sscanf(text.c_str() + text.rfind(')') + 2,
                      "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lu",
                      &started) == 1);
  const ProcessMark mark{child, started};
  CHECK_FALSE(has_ended(mark));
  REQUIRE(::kill(child, SIGKILL) == 0);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  CHECK(has_ended(mark));  // the process has ended although it keeps its number
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(has_ended(mark));
}
