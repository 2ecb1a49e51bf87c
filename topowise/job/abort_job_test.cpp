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

/// Wait status of a process that calls abort_job() with `socket` as its proxy's, and then exits with status 7.
int status_after_abort(int socket) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    ::setenv("PMI_FD", std::to_string(socket).c_str(), 1);
    abort_job(ExitStatus::bad_input);
    ::_exit(7);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace

TEST_CASE("abort: a proxy that has gone already does not take the exit status") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  ::close(ends[1]);
  const int status = status_after_abort(ends[0]);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  ::close(ends[0]);
}

TEST_CASE("abort: the proxy reads one line with the status") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[1]);
    ::setenv("PMI_FD", std::to_string(ends[0]).c_str(), 1);
    abort_job(ExitStatus::bad_input);
    ::_exit(7);
  }
  ::close(ends[0]);
  char line[64] = {};
  CHECK(::read(ends[1], line, sizeof line - 1) > 0);
  CHECK(std::string(line) == "cmd=abort exitcode=3\n");
  ::kill(child, SIGKILL);  // as a proxy does
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  ::close(ends[1]);
}
