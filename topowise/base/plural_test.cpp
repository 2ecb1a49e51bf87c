// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/plural.hpp>

#include <doctest/doctest.h>

using namespace topowise;

TEST_CASE("one of a thing is in the singular") {
  CHECK(counted(0, "rank") == "0 ranks");
  CHECK(counted(1, "rank") == "1 rank");
  CHECK(counted(2, "message") == "2 messages");
}
