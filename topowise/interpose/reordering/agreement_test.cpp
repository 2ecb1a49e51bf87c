// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/agreement.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace topowise::interpose::reordering;

namespace {

/// Four processes on two hosts that ask for the same.
std::vector<Hello> four() {
  std::vector<Hello> hellos(
      4, {.host = "apple", .asked = 1, .valid = 1, .permitted = 1, .vertices = 4, .edges = 2, .digest = 9});
  for (const std::size_t process : {2, 3}) std::strcpy(hellos[process].host, "birch");
  return hellos;
}

}  // namespace

TEST_CASE("processes that agree are mapped") {
  CHECK(judge(four(), Mode::asked, false).next == Next::map);
  CHECK(judge(four(), Mode::report, false).next == Next::map);
}

TEST_CASE("a call that asks for nothing stays, unless it is to be always") {
  auto hellos = four();
  for (Hello& hello : hellos) hello.asked = 0;
  CHECK(judge(hellos, Mode::asked, false).outcome == Outcome::unasked);
  CHECK(judge(hellos, Mode::asked, false).next == Next::stay);
  CHECK(judge(hellos, Mode::always, false).next == Next::map);
}

TEST_CASE("a report leaves every call as the program makes it") {
  auto hellos = four();
  for (Hello& hello : hellos) std::strcpy(hello.host, "apple");
  CHECK(judge(hellos, Mode::report, false).next == Next::leave);
}

TEST_CASE("one host gains only if more than hosts is known") {
  auto hellos = four();
  for (Hello& hello : hellos) std::strcpy(hello.host, "apple");
  CHECK(judge(hellos, Mode::asked, false).next == Next::stay);
  CHECK(judge(hellos, Mode::asked, false).outcome == Outcome::one_host);
  CHECK(judge(hellos, Mode::asked, true).next == Next::map);
}

TEST_CASE("one process that differs changes the answer for all, whichever it is") {
  for (const std::size_t odd : {0, 1, 3}) {
    auto hellos = four();
    hellos[odd].digest = 10;
    CHECK(judge(hellos, Mode::asked, false).next == Next::stay);
    CHECK(judge(hellos, Mode::asked, false).complaint.find("disagree on the virtual topology") != std::string::npos);
    hellos = four();
    hellos[odd].asked = 0;
    CHECK(judge(hellos, Mode::always, false).next == Next::stay);
    hellos = four();
    hellos[odd].vertices = 3;
    CHECK(judge(hellos, Mode::asked, false).next == Next::refuse);
    CHECK(judge(hellos, Mode::report, false).next == Next::leave);
    hellos = four();
    hellos[odd].valid = 0;
    CHECK(judge(hellos, Mode::asked, false).next == Next::refuse);
    hellos = four();
    hellos[odd].mode = Mode::report;
    for (const Mode mode : {Mode::asked, Mode::report}) {
      CHECK(judge(hellos, mode, false).next == Next::stay);
      CHECK(judge(hellos, mode, false).complaint.find("different modes") != std::string::npos);
    }
    hellos[odd].permitted = 0;
    CHECK(judge(hellos, Mode::asked, false).next == Next::leave);
    CHECK(judge(hellos, Mode::asked, false).outcome == Outcome::denied);
  }
}

TEST_CASE("what MPI refuses in every process is left to it") {
  auto hellos = four();
  for (Hello& hello : hellos) hello.valid = 0;
  CHECK(judge(hellos, Mode::asked, false).next == Next::leave);
  CHECK(judge(hellos, Mode::asked, false).outcome == Outcome::left);
  CHECK(judge(hellos, Mode::asked, false).complaint.empty());
}

TEST_CASE("edges that no message can carry") {
  auto hellos = four();
  for (Hello& hello : hellos) hello.edges = 100'000'000;
  CHECK(judge(hellos, Mode::asked, false).next == Next::stay);
  CHECK(judge(hellos, Mode::asked, false).complaint.find("too many") != std::string::npos);
}
