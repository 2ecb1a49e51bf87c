// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/traffic/replication_weights.hpp>

#include <doctest/doctest.h>

#include <cstddef>

using namespace topowise;

TEST_CASE("the heaviest pair weighs 10 both ways, no pair less than 1, and what a rank keeps does not count") {
  const Traffic traffic = Traffic::from_entries(5, {{Rank(0), Rank(1), Bytes(600), 3},
                                                    {Rank(1), Rank(0), Bytes(400), 1},
                                                    {Rank(1), Rank(2), Bytes(349), 1},
                                                    {Rank(3), Rank(2), Bytes(350), 1},
                                                    {Rank(4), Rank(0), Bytes(1), 1},
                                                    {Rank(2), Rank(2), Bytes(9e9), 1},
                                                    {Rank(3), Rank(4), Bytes(0), 7}});
  const Traffic weights = replication_weights(traffic);
  REQUIRE(weights.ranks() == 5);
  const auto weight = [&](std::size_t a, std::size_t b) {
    CHECK(weights.bytes(Rank(a), Rank(b)) == weights.bytes(Rank(b), Rank(a)));
    return weights.bytes(Rank(a), Rank(b)).value();
  };
  CHECK(weight(0, 1) == 10);
  CHECK(weight(1, 2) == 3);
  CHECK(weight(2, 3) == 4);
  CHECK(weight(0, 4) == 1);
  CHECK(weight(3, 4) == 0);
  CHECK(weight(2, 2) == 0);
  CHECK(weights.total_bytes().value() == 2 * (10 + 3 + 4 + 1));
  CHECK(replication_weights(traffic, 1).total_bytes().value() == 2 * 4);
  CHECK(replication_weights(Traffic::from_entries(3, {})).total_bytes().value() == 0);
}
