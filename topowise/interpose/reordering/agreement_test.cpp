// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/agreement.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <vector>

using namespace topowise::interpose::reordering;
using topowise::NodeLevel;

namespace {

/// Four processes on two hosts that ask for the same thing.
std::vector<Participant> four() {
  std::vector<Participant> participants(
      4, {.host = "apple", .asked = 1, .valid = 1, .permitted = 1, .vertices = 4, .edges = 2, .digest = 9});
  for (const std::size_t process : {2, 3}) std::strcpy(participants[process].host, "birch");
  return participants;
}

}  // namespace

TEST_CASE("processes that agree are mapped") {
  CHECK(agreement_of(four(), Mode::asked, false).next == Next::map);
  CHECK(agreement_of(four(), Mode::report, false).next == Next::map);
}

TEST_CASE("a call that asks for nothing stays, unless it is to be always") {
  auto participants = four();
  for (Participant& participant : participants) participant.asked = 0;
  CHECK(agreement_of(participants, Mode::asked, false).outcome == Outcome::unasked);
  CHECK(agreement_of(participants, Mode::asked, false).next == Next::stay);
  CHECK(agreement_of(participants, Mode::always, false).next == Next::map);
}

TEST_CASE("a report leaves every call as the program makes it") {
  auto participants = four();
  for (Participant& participant : participants) std::strcpy(participant.host, "apple");
  CHECK(agreement_of(participants, Mode::report, false).next == Next::leave);
}

TEST_CASE("one host gains only if more than hosts is known") {
  auto participants = four();
  for (Participant& participant : participants) std::strcpy(participant.host, "apple");
  CHECK(agreement_of(participants, Mode::asked, false).next == Next::stay);
  CHECK(agreement_of(participants, Mode::asked, false).outcome == Outcome::one_host);
  CHECK(agreement_of(participants, Mode::asked, true).next == Next::map);
}

TEST_CASE("one host gains if its processes are bound apart, some of them together") {
  auto participants = four();
  const auto bind = [&](NodeLevel level, std::array<std::int16_t, 4> numbers) {
    for (std::size_t process = 0; process < 4; ++process) {
      std::strcpy(participants[process].host, "apple");
      participants[process].part = {};
      participants[process].part.number[static_cast<std::size_t>(level)] = numbers[process];
    }
    return agreement_of(participants, Mode::asked, false).next;
  };
  CHECK(bind(NodeLevel::package, {0, 8, 0, 8}) == Next::map);
  CHECK(bind(NodeLevel::l3_cache, {0, 0, 0, 8}) == Next::map);
  CHECK(bind(NodeLevel::package, {0, 0, 0, 0}) == Next::stay);
  CHECK(bind(NodeLevel::l2_cache, {0, 1, 2, 3}) == Next::stay);  // all pairs are equally far apart
}

TEST_CASE("one process that differs changes the answer for all, whichever it is") {
  for (const std::size_t odd : {0, 1, 3}) {
    auto participants = four();
    participants[odd].digest = 10;
    CHECK(agreement_of(participants, Mode::asked, false).next == Next::stay);
    CHECK(agreement_of(participants, Mode::asked, false).warning.find("disagree on the virtual topology") !=
          std::string::npos);
    participants = four();
    participants[odd].lacks = 1;
    CHECK(agreement_of(participants, Mode::always, false).next == Next::stay);
    CHECK(agreement_of(participants, Mode::report, false).next == Next::leave);
    participants = four();
    participants[odd].asked = 0;
    CHECK(agreement_of(participants, Mode::always, false).next == Next::stay);
    participants = four();
    participants[odd].vertices = 3;
    CHECK(agreement_of(participants, Mode::asked, false).next == Next::refuse);
    CHECK(agreement_of(participants, Mode::report, false).next == Next::leave);
    participants = four();
    participants[odd].valid = 0;
    CHECK(agreement_of(participants, Mode::asked, false).next == Next::refuse);
    participants = four();
    participants[odd].mode = Mode::report;
    for (const Mode mode : {Mode::asked, Mode::report}) {
      CHECK(agreement_of(participants, mode, false).next == Next::stay);
      CHECK(agreement_of(participants, mode, false).warning.find("different modes") != std::string::npos);
    }
    participants[odd].permitted = 0;
    CHECK(agreement_of(participants, Mode::asked, false).next == Next::leave);
    CHECK(agreement_of(participants, Mode::asked, false).outcome == Outcome::denied);
  }
}

TEST_CASE("what MPI refuses in every process is left to it") {
  auto participants = four();
  for (Participant& participant : participants) participant.valid = 0;
  CHECK(agreement_of(participants, Mode::asked, false).next == Next::leave);
  CHECK(agreement_of(participants, Mode::asked, false).outcome == Outcome::left);
  CHECK(agreement_of(participants, Mode::asked, false).warning.empty());
}

TEST_CASE("edges that no message can carry") {
  auto participants = four();
  for (Participant& participant : participants) participant.edges = 100'000'000;
  CHECK(agreement_of(participants, Mode::asked, false).next == Next::stay);
  CHECK(agreement_of(participants, Mode::asked, false).warning.find("too many") != std::string::npos);
}
