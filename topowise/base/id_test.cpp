// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/id.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <topowise/base/error.hpp>

using namespace topowise;

TEST_CASE("a number that is too large for an id is none, not another one") {
  constexpr std::size_t kMost = Rank::kMost;
  CHECK(Rank::checked(7) == Rank(7));
  CHECK(Rank::checked(kMost)->index() == kMost);
  CHECK_FALSE(Rank::checked(kMost + 1).has_value());
  CHECK_FALSE(Rank::checked(static_cast<std::size_t>(-1)).has_value());
  CHECK(Rank(kMost).index() == kMost);
  CHECK(Rank(static_cast<std::uint32_t>(kMost)).index() == kMost);
  CHECK_THROWS_WITH_AS((void)Rank(kMost + 1),
                       "there is no rank, place, vertex or link 4294967296: the largest number of one is 4294967295",
                       Error);
  CHECK_THROWS_AS((void)Place(static_cast<std::size_t>(-1)), Error);
}
