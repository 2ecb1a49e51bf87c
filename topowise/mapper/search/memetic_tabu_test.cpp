// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/search/improve.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <set>

#include <topowise/base/random.hpp>

using namespace topowise;

namespace {

const Deadline kNoDeadline = Deadline::never();

/// A ring of `ranks` on a row of `slots`; the distance is the number of steps. The cheapest mapping goes out on the odd
/// slots and back on the even ones, and joins the two ends of the row directly. It costs 4 (n - 1) with both
/// directions.
Instance ring_on_row(std::size_t ranks, std::size_t slots) {
  Instance instance{.ranks = ranks, .slots = slots, .symmetric = true};
  instance.flow.assign(ranks * ranks, 0.0);
  for (std::size_t i = 0; i < ranks; ++i)
    instance.flow[i * ranks + (i + 1) % ranks] = instance.flow[(i + 1) % ranks * ranks + i] = 1;
  instance.cost.assign(slots * slots, 0.0);
  for (std::size_t a = 0; a < slots; ++a) {
    for (std::size_t b = 0; b < slots; ++b) instance.cost[a * slots + b] = static_cast<double>(a > b ? a - b : b - a);
  }
  return instance;
}

SlotOfRank shuffled(const Instance& instance, std::uint64_t seed) {
  SlotOfRank start(instance.slots);
  std::iota(start.begin(), start.end(), 0U);
  Random(seed).shuffle(std::span(start));
  start.resize(instance.ranks);
  return start;
}

}  // namespace

TEST_CASE("the memetic search finds the cheapest ring on a row, also with slots to spare") {
  for (const std::size_t empty : {0, 5}) {
    const Instance instance = ring_on_row(20, 20 + empty);
    const double cheapest = 2.0 * 2.0 * 19.0;  // two edges cross every step of the row, in both directions
    const ExchangeResult result = memetic_tabu(instance, shuffled(instance, 3),
                                               {.iterations = 200'000, .target = cheapest, .seed = 1}, kNoDeadline);
    CHECK(result.cost == cheapest);
    CHECK(instance.cost_of(result.slot_of_rank) == result.cost);
    CHECK(std::set(result.slot_of_rank.begin(), result.slot_of_rank.end()).size() == 20);
  }
}

TEST_CASE("the memetic search answers the same with one thread and two, and never worse than its start" *
          doctest::test_suite("threads")) {
  Random random(11);
  Instance instance = ring_on_row(14, 16);
  for (std::size_t i = 0; i < 14; ++i) {
    for (std::size_t j = 0; j < i; ++j) instance.flow[i * 14 + j] = instance.flow[j * 14 + i] = random.below(100);
  }
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const SlotOfRank start = shuffled(instance, seed);
    const ExchangeLimits one{.iterations = 40'000, .target = 0, .seed = seed, .threads = 1};
    ExchangeLimits two = one;
    two.threads = 2;
    const ExchangeResult result = memetic_tabu(instance, start, one, kNoDeadline);
    CHECK(result.slot_of_rank == memetic_tabu(instance, start, two, kNoDeadline).slot_of_rank);
    CHECK(result.cost <= instance.cost_of(start));
    const ExchangeResult again =
        memetic_tabu(instance, result.slot_of_rank, {.iterations = 10, .seed = seed}, kNoDeadline);
    CHECK(again.cost <= result.cost);
  }
}
