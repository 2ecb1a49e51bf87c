// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/id.hpp>

#include <doctest/doctest.h>

#include <cstddef>

using namespace topowise;

TEST_CASE("a number that is too large for an id is none, not another one") {
  constexpr std::size_t kMost = Rank::kMost;
  CHECK(Rank::checked(7) == Rank(7));
  CHECK(Rank::checked(kMost)->index() == kMost);
  CHECK_FALSE(Rank::checked(kMost + 1).has_value());
  CHECK_FALSE(Rank::checked(static_cast<std::size_t>(-1)).has_value());
}
