// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/child_process.hpp>

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <stdexcept>

using namespace topowise;

constexpr int kGuard = 600;  ///< seconds; a guard against a hang

TEST_CASE("a program's output, its failure, its absence, its silence") {
  CHECK(program_output({"echo", "two words"}, kGuard) == "two words\n");
  CHECK_FALSE(program_output({"false"}, kGuard).has_value());
  CHECK_FALSE(program_output({"topowise-no-such-program"}, kGuard).has_value());
  CHECK_FALSE(program_output({"sleep", "60"}, 0).has_value());
}

TEST_CASE("a child answers from a process of its own, and may fail there") {
  const std::string own = std::to_string(::getpid());
  const std::optional<std::string> answer = answer_of_child([] { return std::to_string(::getpid()); }, kGuard);
  REQUIRE(answer);
  CHECK(*answer != own);
  CHECK_FALSE(answer_of_child([]() -> std::string { throw std::runtime_error("no"); }, kGuard));
}

TEST_CASE("a long-lived child lives as long as somebody wants its answer") {
  pid_t number = 0;
  {
    LongLivedChild child([] { return HeldAnswer{std::to_string(::getpid()), nullptr}; });
    const std::optional<std::string> answer = child.answer(kGuard);
    REQUIRE(answer);
    number = std::stoi(*answer);
    CHECK(number != ::getpid());
    CHECK(::kill(number, 0) == 0);
  }
  CHECK(::kill(number, 0) != 0);
}

TEST_CASE("a long-lived child that fails offers nothing, and a silent one is ended") {
  LongLivedChild failing([]() -> HeldAnswer { throw std::runtime_error("no"); });
  CHECK(failing.answer(kGuard) == "");
  LongLivedChild silent([]() -> HeldAnswer {
    for (;;) ::pause();
  });
  CHECK_FALSE(silent.answer(0));
}
