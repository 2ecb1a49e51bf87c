// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/communicator.hpp>

#include <doctest/doctest.h>

#include <topowise/base/random.hpp>

using namespace topowise::interpose;

TEST_CASE("a list is what it was made of, progression or not") {
  const std::vector<std::vector<std::int32_t>> lists{
      {}, {9}, {kOutside}, {4, 5, 6, 7}, {13, 9, 5, 1}, {0, 1, 3}, {2, 2, 2}, {1, 0, kOutside}, {kOutside, kOutside}};
  for (const std::vector<std::int32_t>& ranks : lists) {
    CHECK(MemberList(ranks).expanded() == ranks);
    CHECK(MemberList(ranks).size() == static_cast<std::int32_t>(ranks.size()));
  }
  topowise::Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int32_t> ranks;
    for (std::uint32_t i = random.below(6); i > 0; --i)
      ranks.push_back(random.below(5) == 0 ? kOutside : static_cast<std::int32_t>(random.below(4)));
    CHECK(MemberList(ranks).expanded() == ranks);
  }
}

TEST_CASE("the identity is a list") {
  CHECK(MemberList::identity(5).expanded() == std::vector<std::int32_t>{0, 1, 2, 3, 4});
}
