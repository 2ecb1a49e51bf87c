// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/search/elite_pool.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <topowise/base/random.hpp>

using namespace topowise;

namespace {

constexpr std::size_t kRanks = 8;
const SlotOfRank kFirst{0, 1, 2, 3, 4, 5, 6, 7};
const SlotOfRank kNearFirst{0, 1, 2, 3, 5, 6, 7, 4};  ///< four of the eight ranks have the same slots
const SlotOfRank kElsewhere{7, 6, 5, 4, 3, 2, 1, 0};

}  // namespace

TEST_CASE("of mappings that agree in half of the ranks the cheapest is kept") {
  Funnels funnels(kRanks, 10);
  funnels.add(5, kFirst);
  funnels.add(6, kNearFirst);
  CHECK(funnels.size() == 1);
  CHECK(funnels.next(0) == kFirst);
  funnels.add(4, kNearFirst);
  CHECK(funnels.size() == 1);
  CHECK(funnels.next(0) == kNearFirst);
  funnels.add(7, kElsewhere);
  CHECK(funnels.size() == 2);
  CHECK(funnels.next(0) == kNearFirst);
}

TEST_CASE("each search makes a funnel dearer, until it is found to be deeper") {
  Funnels funnels(kRanks, 10);
  funnels.add(5, kFirst);
  funnels.add(7.5, kElsewhere);
  std::vector<SlotOfRank> from;
  for (int search = 0; search < 5; ++search) from.push_back(funnels.next(1));
  CHECK(from == std::vector<SlotOfRank>{kFirst, kFirst, kFirst, kElsewhere, kFirst});
  CHECK(funnels.next(1) == kElsewhere);  // 8.5 against 9
  funnels.add(4.5, kNearFirst);
  CHECK(funnels.next(1) == kNearFirst);
}

TEST_CASE("the dearest mapping makes room for a cheaper one") {
  Funnels funnels(kRanks, 2);
  const SlotOfRank third{1, 0, 3, 2, 5, 4, 7, 6};
  funnels.add(5, kFirst);
  funnels.add(7, kElsewhere);
  funnels.add(8, third);
  CHECK(funnels.size() == 2);
  CHECK(funnels.next(100) == kFirst);
  CHECK(funnels.next(100) == kElsewhere);
  funnels.add(6, third);
  CHECK(funnels.size() == 2);
  CHECK(funnels.next(100) == third);
}

TEST_CASE("of random mappings the cheapest is never lost") {
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    const std::size_t ranks = 2 + random.below(5);
    constexpr std::size_t kMost = 6;
    Funnels funnels(ranks, kMost);
    double least = std::numeric_limits<double>::infinity();
    SlotOfRank cheapest;
    for (int k = 0; k < 100; ++k) {
      SlotOfRank mapping(ranks);
      std::iota(mapping.begin(), mapping.end(), 0U);
      random.shuffle(std::span(mapping));
      const double cost = 1 + random.unit();
      funnels.add(cost, mapping);
      if (cost < least) {
        least = cost;
        cheapest = mapping;
      }
      CHECK(Funnels(funnels).next(0) == cheapest);
      CHECK(funnels.size() <= kMost);
    }
  }
}
