// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/abort_job.hpp>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

using namespace topowise;
using namespace topowise::job;

namespace {

/// The two ends of the socket between a proxy and its process.
struct Sockets {
  Sockets() { REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0); }
  int ends[2] = {};
};

/// A process that calls abort_job() with `socket` as its proxy's, and then exits with status 7.
pid_t start_aborting(int socket) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  std::signal(SIGPIPE, SIG_DFL);
  ::setenv("PMI_FD", std::to_string(socket).c_str(), 1);
  abort_job(ExitStatus::bad_input);
  ::_exit(7);
}

int wait_status(pid_t child) {
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace

TEST_CASE("abort: a proxy that has gone already does not take the exit status") {
  const Sockets sockets;
  ::close(sockets.ends[1]);
  const int status = wait_status(start_aborting(sockets.ends[0]));
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  ::close(sockets.ends[0]);
}

TEST_CASE("abort: the proxy reads one line with the status") {
  const Sockets sockets;
  const pid_t child = start_aborting(sockets.ends[0]);
  ::close(sockets.ends[0]);
  char line[64] = {};
  CHECK(::read(sockets.ends[1], line, sizeof line - 1) > 0);
  CHECK(std::string(line) == "cmd=abort exitcode=3\n");
  ::kill(child, SIGKILL);    // as a proxy does
  (void)wait_status(child);  // on a machine that does not get to it, the process has given up waiting by then
  ::close(sockets.ends[1]);
}
