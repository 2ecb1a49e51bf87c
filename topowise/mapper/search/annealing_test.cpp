// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/search/annealing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include <topowise/base/random.hpp>

using namespace topowise;

namespace {

const Deadline kNoDeadline = Deadline::never();

struct Kind {
  std::size_t ranks, slots;
  bool symmetric, whole;  ///< numbers
};

std::vector<double> random_matrix(std::size_t size, const Kind& kind, Random& random) {
  std::vector<double> matrix(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      if (i != j) matrix[i * size + j] = kind.whole ? random.below(100) : random.unit();
      if (j < i && kind.symmetric) matrix[i * size + j] = matrix[j * size + i];
    }
  }
  return matrix;
}

Instance random_instance(const Kind& kind, std::uint64_t seed) {
  Random random(seed);
  Instance instance{.ranks = kind.ranks, .slots = kind.slots, .symmetric = kind.symmetric};
  instance.flow = random_matrix(kind.ranks, kind, random);
  instance.cost = random_matrix(kind.slots, kind, random);
  return instance;
}

SlotOfRank in_order(const Instance& instance) {
  SlotOfRank start(instance.ranks);
  std::iota(start.begin(), start.end(), 0U);
  return start;
}

/// Of all ways to choose slots.
double cheapest(const Instance& instance) {
  SlotOfRank every(instance.slots);
  std::iota(every.begin(), every.end(), 0U);
  double least = instance.cost_of(in_order(instance));
  do {
    const SlotOfRank some(every.begin(), every.begin() + static_cast<std::ptrdiff_t>(instance.ranks));
    least = std::min(least, instance.cost_of(some));
  } while (std::ranges::next_permutation(every).found);
  return least;
}

const Kind kKinds[] = {
    {8, 8, true, true}, {6, 8, true, true}, {7, 7, false, true}, {5, 8, false, false}, {7, 8, true, false}};

}  // namespace

TEST_CASE("a thermal walk finds the optimum of small random instances of every kind") {
  for (const Kind& kind : kKinds) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      CAPTURE(kind.ranks);
      CAPTURE(kind.symmetric);
      const Instance instance = random_instance(kind, seed);
      const ExchangeResult result =
          thermal_walk(instance, in_order(instance), {.iterations = 60'000, .seed = seed}, kNoDeadline);
      CHECK(result.cost == doctest::Approx(cheapest(instance)).epsilon(1e-9));
      CHECK(instance.cost_of(result.slot_of_rank) == doctest::Approx(result.cost).epsilon(1e-9));
      CHECK(std::set(result.slot_of_rank.begin(), result.slot_of_rank.end()).size() == instance.ranks);
    }
  }
}

TEST_CASE("a thermal walk answers the same with one thread and two, and never worse than its start") {
  const Instance instance = random_instance({30, 32, true, true}, 4);
  ExchangeLimits limits{.iterations = 600'000, .seed = 2, .threads = 1};  // also from funnels
  const ExchangeResult one = thermal_walk(instance, in_order(instance), limits, kNoDeadline);
  limits.threads = 2;
  CHECK(thermal_walk(instance, in_order(instance), limits, kNoDeadline).slot_of_rank == one.slot_of_rank);
  CHECK(one.cost < instance.cost_of(in_order(instance)));
  limits.iterations = 10;
  CHECK(thermal_walk(instance, one.slot_of_rank, limits, kNoDeadline).cost <= one.cost);
}

TEST_CASE("a thermal walk stops at its target and where nothing can be exchanged") {
  const Instance instance = random_instance({10, 10, true, true}, 4);
  const SlotOfRank start = in_order(instance);
  const double cost = instance.cost_of(start);
  const ExchangeLimits forever{.iterations = std::size_t{1} << 60, .target = cost, .seed = 1};
  CHECK(thermal_walk(instance, start, forever, kNoDeadline).cost == cost);
  const Instance alone = random_instance({1, 1, true, true}, 4);
  CHECK(thermal_walk(alone, {0}, {.iterations = 5000, .target = -1}, kNoDeadline).cost == 0);
}

TEST_CASE("thermal walks are for random numbers, not for distances") {
  CHECK(suits_thermal_walk(random_instance({20, 20, true, true}, 1)));
  Instance on_line = random_instance({20, 20, true, true}, 1);
  for (std::size_t a = 0; a < 20; ++a) {
    for (std::size_t b = 0; b < 20; ++b) on_line.cost[a * 20 + b] = static_cast<double>(a > b ? a - b : b - a);
  }
  CHECK(!suits_thermal_walk(on_line));
}
