// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/child_process.hpp>

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <stdexcept>

using namespace topowise;

constexpr int kGuard = 600;  ///< seconds; a guard against a hang

TEST_CASE("a program's output, its failure, its absence, its silence") {
  CHECK(program_output({"echo", "two words"}, kGuard) == "two words\n");
  CHECK_FALSE(program_output({"false"}, kGuard).has_value());
  CHECK_FALSE(program_output({"topowise-no-such-program"}, kGuard).has_value());
  CHECK_FALSE(program_output({"sleep", "60"}, 0).has_value());
}

TEST_CASE("a program that prints too much, is late, is not there or fails: each is told from the others") {
  const ProgramResult whole = run_program({"echo", "12345"}, kGuard, 6);
  CHECK(!whole.failure.has_value());
  CHECK(whole.output == "12345\n");
  const ProgramResult longer = run_program({"echo", "12345"}, kGuard, 5);
  CHECK(longer.failure == NoOutput::too_long);
  CHECK(longer.output.empty());
  CHECK(run_program({"yes"}, kGuard, std::size_t{1} << 20).failure == NoOutput::too_long);
  CHECK(run_program({"sleep", "60"}, 0, 5).failure == NoOutput::late);
  CHECK(run_program({"false"}, kGuard, 5).failure == NoOutput::failed);
  CHECK(run_program({"topowise-no-such-program"}, kGuard, 5).failure == NoOutput::failed);
  CHECK(run_program({"sh", "-c", "echo 1; exit 3"}, kGuard, 5).failure == NoOutput::failed);
}

TEST_CASE("more than 16 MiB are read where a caller asks for them") {
  const ProgramResult result = run_program({"head", "-c", "17000000", "/dev/zero"}, kGuard, std::size_t{1} << 30);
  CHECK(!result.failure.has_value());
  CHECK(result.output.size() == 17000000);
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
