// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/child_process.hpp>

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

TEST_CASE("a program that prints too much, is late, is not there or fails: each is reported as itself") {
  const ProgramResult whole = run_program({"echo", "12345"}, kGuard, 6);
  CHECK(!whole.failure.has_value());
  CHECK(whole.output == "12345\n");
  const ProgramResult longer = run_program({"echo", "12345"}, kGuard, 5);
  CHECK(longer.failure == NoOutput::too_long);
  CHECK(longer.output.empty());
  CHECK(run_program({"yes"}, kGuard, std::size_t{1} << 20).failure == NoOutput::too_long);
  CHECK(run_program({"sleep", "60"}, 0, 5).failure == NoOutput::late);
  CHECK(run_program({"topowise-no-such-program"}, kGuard, 5).failure == NoOutput::missing);
  const ProgramResult forbidden = run_program({"/dev/null"}, kGuard, 5);
  CHECK(forbidden.failure == NoOutput::not_started);
  CHECK(forbidden.ending == "Permission denied");
  const ProgramResult failed =
      run_program({"sh", "-c", "echo 1; printf 'no\\033[1m way\\nmore' >&2; exit 3"}, kGuard, 5);
  CHECK(failed.failure == NoOutput::failed);
  CHECK(failed.output.empty());
  CHECK(failed.ending == "status 3");
  CHECK(failed.complaint == "no\\u{1b}[1m way");
  CHECK(run_program({"sh", "-c", "kill -9 $$"}, kGuard, 5).ending == "signal 9");
  const ProgramResult silent = run_program({"false"}, kGuard, 5);
  CHECK(silent.ending == "status 1");
  CHECK(silent.complaint.empty());
}

TEST_CASE("a program that complains without an end is neither waited for nor kept whole") {
  const ProgramResult result = run_program({"sh", "-c", "head -c 3000000 /dev/zero >&2; echo done"}, kGuard, 5);
  CHECK(result.output == "done\n");
}

TEST_CASE("a program that has closed its output and goes on is late, and what it has started ends with it") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  constexpr int kOneDigit = 9;  // dash knows no others
  REQUIRE(::dup2(ends[1], kOneDigit) == kOneDigit);
  ::close(ends[1]);
  const std::string command = "exec 3>&9; (exec sleep 100000 >&-) & exec >&-; wait";
  CHECK(run_program({"sh", "-c", command}, 1, 5).failure == NoOutput::late);
  ::close(kOneDigit);
  char text[8];
  CHECK(::read(ends[0], text, sizeof text) == 0);  // both hold the other end as long as they live
  ::close(ends[0]);
}

/// A process asks sh for `command`, which echoes "started" into the descriptor that it names HELD, and is then sent the
/// signal. Returns its status when nothing holds that descriptor any more.
int status_of_asker(int signal, std::string command) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  command.replace(command.find("HELD"), std::string_view("HELD").size(), std::to_string(ends[1]));
  const pid_t asker = ::fork();
  if (asker == 0) {
    ::close(ends[0]);
    ::signal(signal, SIG_DFL);
    const rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    (void)program_output({"sh", "-c", command}, 100000);
    ::_exit(0);
  }
  ::close(ends[1]);
  char text[8];
  REQUIRE(::read(ends[0], text, sizeof text) == 8);
  ::kill(asker, signal);
  CHECK(::read(ends[0], text, sizeof text) == 0);  // programs hold the other end as long as they live
  ::close(ends[0]);
  int status = 0;
  ::waitpid(asker, &status, 0);
  return status;
}

TEST_CASE("a program that is asked ends with the process that asks, whatever ends that") {
  for (const int signal : {SIGINT, SIGKILL}) {
    CAPTURE(signal);
    status_of_asker(signal, "echo started >&HELD; exec sleep 100000");
  }
}

TEST_CASE("what a program that is asked has started ends with the process that asks, too") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    CAPTURE(signal);
    const int status = status_of_asker(signal, "(trap '' INT TERM HUP; exec sleep 100000) & echo started >&HELD; wait");
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
  }
}

TEST_CASE("the signal handlers of a process are its own while a program is asked, and afterwards") {
  const auto own = [](int) {};
  void (*const before)(int) = ::signal(SIGINT, own);
  void (*const before_hangup)(int) = ::signal(SIGHUP, SIG_IGN);
  CHECK(program_output({"sh", "-c", "kill -INT $PPID; kill -HUP $PPID; echo alive"}, kGuard) == "alive\n");
  const bool is_own = ::signal(SIGINT, before) == +own;
  CHECK(is_own);
  const bool is_ignored = ::signal(SIGHUP, before_hangup) == SIG_IGN;
  CHECK(is_ignored);
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

TEST_CASE("a child may answer much, and why there is no answer is reported") {
  constexpr std::size_t kMuch = std::size_t{20} << 20;
  CHECK(result_of_child([] { return std::string(kMuch, 'x'); }, kGuard, kMuch).output.size() == kMuch);
  CHECK(result_of_child([] { return std::string(kMuch, 'x'); }, kGuard, kMuch - 1).failure == NoOutput::too_long);
  CHECK(result_of_child([]() -> std::string { return ::kill(::getpid(), SIGKILL) == 0 ? "" : "alive"; }, kGuard, kMuch)
            .failure == NoOutput::failed);
  CHECK(result_of_child([]() -> std::string { throw std::runtime_error("no"); }, kGuard, kMuch).failure ==
        NoOutput::failed);
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
