// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/memory_policy.hpp>

#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using topowise::job::memory_policy;
using topowise::job::MemoryPolicy;

TEST_CASE("a policy in words, and what it reaches") {
  CHECK(MemoryPolicy{"default", {}, {0, 1}}.words() == "default");
  CHECK(MemoryPolicy{"bind", {0, 1, 3}, {}}.words() == "bind 0-1,3");
  CHECK(MemoryPolicy{"bind", {0}, {0, 1}}.reaches(0));
  CHECK_FALSE(MemoryPolicy{"bind", {0}, {0, 1}}.reaches(1));
  CHECK_FALSE(MemoryPolicy{"default", {}, {0}}.reaches(1));
  CHECK(MemoryPolicy{"default", {}, {}}.reaches(7));
}

TEST_CASE("the kernel reports the policy of this process") {
  const auto before = memory_policy();
  if (!before) {
    MESSAGE("SKIPPED: this kernel does not tell memory policies");
    return;
  }
  CHECK(before->reaches(0));
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr int kBind = 2;
    const unsigned long first = 1;
    const bool set = ::syscall(SYS_set_mempolicy, kBind, &first, 64UL) == 0;
    const auto bound = memory_policy();
    ::_exit(!set ? 2 : bound && bound->words() == "bind 0" ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 2) {
    MESSAGE("SKIPPED: memory policies may not be set here");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
}
