// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/rings.hpp>

#include <doctest/doctest.h>

#include <topowise/base/random.hpp>

using namespace topowise;

using Orders = std::vector<std::vector<std::size_t>>;

TEST_CASE("steps close to rings, from their lowest rank on") {
  const std::vector<OrderStep> steps = steps_of(Orders{{2, 1}, {0, 3}, {1, 0}, {0}});
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].rings == Orders{{0, 2, 1}});
  CHECK(steps[0].others == std::vector<std::pair<std::size_t, std::size_t>>{{3, 0}});
  CHECK(steps[1].rings.empty());  // 0 -> 1 -> 3, which sends nothing; 2 -> 0
  CHECK(steps[1].others == std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 3}, {2, 0}});
  CHECK(steps_of(Orders{{1}, {0}}).front().rings == Orders{{0, 1}});
  CHECK(steps_of(Orders{}).empty());
  CHECK(steps_of(Orders{{7}, {}}).front().others.front() == std::pair<std::size_t, std::size_t>{0, 7});
}

TEST_CASE("every message of a random order is in exactly one ring or none") {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    const std::size_t ranks = 2 + random.below(8);
    Orders orders(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (std::uint32_t k = random.below(4); k > 0; --k)
        orders[rank].push_back((rank + 1 + random.below(static_cast<std::uint32_t>(ranks - 1))) % ranks);
    const std::vector<OrderStep> steps = steps_of(orders);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      std::vector<std::size_t> sent(ranks, 0);
      for (const std::vector<std::size_t>& ring : steps[k].rings) {
        for (std::size_t i = 0; i < ring.size(); ++i) {
          CHECK(orders[ring[i]][k] == ring[(i + 1) % ring.size()]);
          CHECK(ring[i] >= ring.front());
          ++sent[ring[i]];
        }
      }
      for (const auto& [source, destination] : steps[k].others) {
        CHECK(orders[source][k] == destination);
        ++sent[source];
      }
      for (std::size_t rank = 0; rank < ranks; ++rank) CHECK(sent[rank] == (k < orders[rank].size() ? 1 : 0));
    }
  }
}
