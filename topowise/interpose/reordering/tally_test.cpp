// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/tally.hpp>

#include <doctest/doctest.h>

using namespace topowise::interpose::reordering;

TEST_CASE("summary of a job") {
  Tally tally;
  CHECK(summary(tally, "asked", false) == "--reorder=asked: the program called none of MPI's topology functions");
  tally.calls[static_cast<std::size_t>(Outcome::moved)] = 1;
  tally.cost_before = 8;
  tally.seconds = 0.0125;
  CHECK(summary(tally, "asked", false) ==
        "--reorder=asked: 1 call, ranks reordered in 1 (hop-bytes 8 -> 0, 100.0 % less); 12.5 ms in them");
  tally.calls[static_cast<std::size_t>(Outcome::best)] = 2;
  tally.calls[static_cast<std::size_t>(Outcome::denied)] = 1;
  tally.cost_before = 16;
  tally.cost = 12;
  CHECK(
      summary(tally, "report", true) ==
      "--reorder=report: 4 calls, ranks would be reordered in 1 (hop-bytes 16 -> 12, 25.0 % less); 2 nothing to gain; "
      "1 left out by --reorder-only or --reorder-except; 12.5 ms in them");
}
