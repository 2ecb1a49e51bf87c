// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/recorded_ranks.hpp>

#include <doctest/doctest.h>

using namespace topowise::interpose;
using namespace topowise::interpose::reordering;

TEST_CASE("what is made of a reordered communicator keeps its ranks, until it is freed") {
  constexpr Word kWorld = 100;
  constexpr Word kReordered = 101;
  constexpr Word kCopy = 102;
  CHECK(recorded_rank(kReordered, 5) == 5);
  set_recorded_rank(kReordered, 3);
  made_of(c::comm(kReordered), kCopy);
  CHECK(recorded_rank(kReordered, 5) == 3);
  CHECK(recorded_rank(kCopy, 5) == 3);
  CHECK(recorded_rank(kWorld, 5) == 5);
  forget_recorded_rank(kReordered);
  CHECK(recorded_rank(kReordered, 5) == 5);
  CHECK(recorded_rank(kCopy, 5) == 3);
  made_of(c::comm(kWorld), kCopy);  // the handle was freed unnoticed
  CHECK(recorded_rank(kCopy, 5) == 5);
}
