// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/search/improve.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <numeric>
#include <set>

#include <topowise/base/random.hpp>

using namespace topowise;

namespace {

const Deadline kNoDeadline = Deadline::never();

/// Each of the first `talkers` ranks sends the same amount to every other of them; the costs are random and symmetric.
Instance all_to_all(std::size_t talkers, std::size_t ranks, std::size_t slots, Random& random) {
  Instance instance{.ranks = ranks, .slots = slots, .symmetric = true};
  instance.flow.assign(ranks * ranks, 0.0);
  for (std::size_t i = 0; i < talkers; ++i) {
    for (std::size_t j = 0; j < talkers; ++j) instance.flow[i * ranks + j] = i == j ? 0.0 : 3.0;
  }
  instance.cost.assign(slots * slots, 0.0);
  for (std::size_t a = 0; a < slots; ++a) {
    for (std::size_t b = 0; b < a; ++b)
      instance.cost[a * slots + b] = instance.cost[b * slots + a] = 1.0 + random.below(50);
  }
  return instance;
}

/// The cheapest cost over all choices of slots.
double cheapest(const Instance& instance, int talkers) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t chosen = 0; chosen < 1U << instance.slots; ++chosen) {
    if (std::popcount(chosen) != talkers) continue;
    double cost = 0;
    for (std::size_t a = 0; a < instance.slots; ++a) {
      for (std::size_t b = 0; b < instance.slots; ++b) {
        if ((chosen >> a & 1U) != 0 && (chosen >> b & 1U) != 0) cost += 3.0 * instance.cost[a * instance.slots + b];
      }
    }
    least = std::min(least, cost);
  }
  return least;
}

}  // namespace

TEST_CASE("the slots of an all-to-all: the best of all choices, and a mapping of all ranks") {
  Random random(3);
  for (const std::size_t ranks : {5, 9, 12}) {
    CAPTURE(ranks);
    const Instance instance = all_to_all(5, ranks, 12, random);
    const std::optional<SlotChoice> choice = SlotChoice::find(instance);
    REQUIRE(choice);
    SlotOfRank start(ranks);
    std::iota(start.begin(), start.end(), 0U);
    const ExchangeResult result = choice->tabu(start, {.iterations = 2000, .seed = 1}, kNoDeadline);
    CHECK(result.cost == cheapest(instance, 5));
    CHECK(instance.cost_of(result.slot_of_rank) == result.cost);
    CHECK(std::set(result.slot_of_rank.begin(), result.slot_of_rank.end()).size() == ranks);
    CHECK(choice->tabu(start, {.iterations = 2000, .seed = 1}, kNoDeadline).slot_of_rank == result.slot_of_rank);
    const ExchangeResult none = choice->tabu(start, {.iterations = 0, .seed = 1}, kNoDeadline);
    CHECK(none.cost == instance.cost_of(start));
  }
}

TEST_CASE("only ranks that are all alike have slots to choose") {
  Random random(4);
  Instance instance = all_to_all(4, 8, 8, random);
  CHECK(SlotChoice::find(instance));
  instance.flow[0 * 8 + 1] = instance.flow[1 * 8 + 0] = 2;  // one pair sends less
  CHECK_FALSE(SlotChoice::find(instance));
  CHECK_FALSE(SlotChoice::find(all_to_all(8, 8, 8, random)));  // every slot is used: there is no choice
  Instance silent = all_to_all(4, 8, 8, random);
  silent.flow.assign(64, 0.0);
  CHECK_FALSE(SlotChoice::find(silent));
}
