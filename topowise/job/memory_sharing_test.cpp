// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/memory_sharing.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace topowise::job;

namespace {

constexpr int kMost = 64;

int open_descriptors() {
  int count = 0;
  for (int number = 0; number < kMost; ++number) count += ::fcntl(number, F_GETFD) != -1 ? 1 : 0;
  return count;
}

/// Runs in a process that has room for one and a half pipes. Its exit status is 0 if no descriptor is left open.
[[noreturn]] void ask_with_few_descriptors() {
  for (int number = 3; number < kMost; ++number) ::close(number);
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 6;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const int before = open_descriptors();
  const bool told = sharing_refusal() == "no process could be started to try it";
  ::_exit(told && open_descriptors() == before ? 0 : 1);
}

}  // namespace

TEST_CASE("no descriptor is left open where the second pipe cannot be made") {
  const pid_t child = ::fork();
  if (child == 0) ask_with_few_descriptors();
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
