// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

using namespace topowise;

TEST_CASE("the same seed gives the same numbers, another seed others") {
  Random a(1);
  Random b(1);
  Random c(2);
  CHECK(a() == b());
  CHECK(a() != c());
}

TEST_CASE("the generator is xoshiro256** seeded by splitmix64") {
  // First words of splitmix64 from seed 0 are published: 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, ...; the first output
  // of xoshiro256** is rotl(state[1] * 5, 7) * 9.
  Random random(0);
  const std::uint64_t s1 = 0x6e789e6aa1b965f4ULL * 5;
  CHECK(random() == ((s1 << 7) | (s1 >> 57)) * 9);
}

TEST_CASE("below() stays below and reaches every value; unit() stays in [0, 1)") {
  Random random(7);
  std::array<int, 10> seen{};
  for (int i = 0; i < 10000; ++i) {
    ++seen.at(random.below(10));
    const double u = random.unit();
    CHECK((u >= 0.0 && u < 1.0));
  }
  CHECK(*std::ranges::min_element(seen) > 800);
}

TEST_CASE("a shuffle is a permutation") {
  Random random(3);
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  std::vector<int> shuffled = items;
  random.shuffle(std::span<int>(shuffled));
  CHECK(shuffled != items);
  std::ranges::sort(shuffled);
  CHECK(shuffled == items);
}
