// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/short/short_table.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include <topowise/mapper/exchange/test_instances.hpp>

using namespace topowise;

namespace {

/// Of numbers up to 99, no two ranks or slots alike.
Instance random_numbers(std::size_t ranks, std::size_t slots, Random& random) {
  Instance instance{.ranks = ranks, .slots = slots, .symmetric = true};
  for (const auto& [matrix, size] : {std::pair(&instance.flow, ranks), std::pair(&instance.cost, slots)}) {
    matrix->assign(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < i; ++j)
        (*matrix)[i * size + j] = (*matrix)[j * size + i] = static_cast<double>(1 + random.below(99));
    }
  }
  return instance;
}

constexpr double kRate = -1e-4;
/// What an entry counts for at that rate.
constexpr double kUnitsOfEntry = 1 / (kOctave * -kRate);

std::size_t check_changes(const Instance& instance, const ShortTable& table, double most_error) {
  return for_all_changes(instance, table,
                         [&](double grown, double change) { REQUIRE(std::abs(grown - change) <= most_error); });
}

/// Of each group of a short table the exchange that changes cost least, and how likely it is at that rate.
std::map<std::array<std::uint32_t, 2>, double> weights_of_least(const ShortTable& table) {
  std::map<std::array<std::uint32_t, 3>, std::array<std::uint32_t, 2>> least;
  for (std::uint32_t i = 0; i < table.ranks(); ++i) {
    for (std::uint32_t j = i + 1; j < table.facilities(); ++j) {
      const auto [found, is_new] = least.try_emplace({i / 16, i % 2, j}, std::array{i, j});
      const auto [best_i, best_j] = found->second;
      if (!is_new && table.change(i, j) < table.change(best_i, best_j)) found->second = {i, j};
    }
  }
  std::map<std::array<std::uint32_t, 2>, double> weights;
  for (const auto& [group, pair] : least) weights[pair] = std::exp2(kRate * table.change(pair[0], pair[1]));
  return weights;
}

}  // namespace

TEST_CASE("a short table holds what carrying exchanges out changes, to a few entries, and knows what it changed") {
  constexpr std::size_t kMemory = 3;
  Random random(9);
  for (const std::size_t ranks : {6, 16, 21, 37, 80}) {
    for (const std::size_t empty : {0, 3, 14}) {
      CAPTURE(ranks);
      CAPTURE(empty);
      const Instance instance = random_numbers(ranks, ranks + empty, random);
      const WholeUnits units = whole_units(instance);
      REQUIRE(ShortTable::holds(instance, units));
      ShortTable table(instance, units, random_start(instance, random));
      table.hide_last(kMemory);
      table.weigh(kRate);
      const std::size_t all = check_changes(instance, table, kUnitsOfEntry);
      const auto cost = [&] { return instance.cost_of(table.slots().first(ranks)); };
      for (int step = 0; step < 40; ++step) {
        const FacilityPair pair = random_pair(instance, random);
        if (std::isinf(table.change(pair.i, pair.j))) continue;
        const double before = cost();
        const double change = units.flow * units.cost * table.exchange(pair);
        REQUIRE(change == cost() - before);
        CHECK(std::isinf(table.change(pair.i, pair.j)));
      }
      CHECK(check_changes(instance, table, 20 * kUnitsOfEntry) + table.hidden() == all);
      while (table.hidden() > 0) table.show_oldest();
      CHECK(check_changes(instance, table, 20 * kUnitsOfEntry) == all);
      table.weigh(kRate);
      CHECK(check_changes(instance, table, kUnitsOfEntry) == all);
    }
  }
}

TEST_CASE("errors of a short table do not grow beyond what thousands of roundings add up to") {
  Random random(2);
  const Instance instance = random_numbers(50, 50, random);
  ShortTable table(instance, whole_units(instance), random_start(instance, random));
  table.hide_last(3);
  table.weigh(kRate);
  for (int step = 0; step < 2000; ++step) {
    const std::optional<DrawnExchange> next = table.draw(random);
    REQUIRE(next);
    table.exchange(next->pair);
  }
  check_changes(instance, table, 0.5 * kOctave * kUnitsOfEntry);  // half an octave
}

TEST_CASE("of every group of exchanges the best is drawn as often as it is likely, in the time that this takes") {
  Random random(3);
  const Instance instance = random_numbers(21, 23, random);
  ShortTable table(instance, whole_units(instance), random_start(instance, random));
  CHECK(!table.draw(random));  // not weighed
  table.weigh(kRate);
  const auto weights = weights_of_least(table);
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0,
                                     [](double sum, const auto& weight) { return sum + weight.second; });
  constexpr int kDraws = 50'000;
  std::map<std::array<std::uint32_t, 2>, int> drawn;
  double time = 0;
  for (int k = 0; k < kDraws; ++k) {
    const std::optional<DrawnExchange> next = table.draw(random);
    REQUIRE(next);
    ++drawn[{next->pair.i, next->pair.j}];
    time += next->time;
  }
  CHECK(drawn.size() > 20);
  for (const auto& [pair, count] : drawn) REQUIRE(weights.contains(pair));
  for (const auto& [pair, weight] : weights) {
    const double expected = weight / all * kDraws;
    CHECK(std::abs(drawn[pair] - expected) <= 1 + 5 * std::sqrt(expected));
  }
  CHECK(time * all / kDraws >= 0.98);
  CHECK(time * all / kDraws <= 1.08);  // powers of two are a little too large
}

TEST_CASE("a short table is for small whole numbers, symmetric, of which none are twins") {
  Random random(4);
  const Instance instance = random_numbers(20, 24, random);
  CHECK(ShortTable::holds(instance, whole_units(instance)));
  Instance large = instance;
  large.flow[1] = large.flow[20] = 128;
  CHECK(!ShortTable::holds(large, whole_units(large)));
  Instance fractional = instance;
  fractional.cost[1] = fractional.cost[24] = 0.3;
  CHECK(!ShortTable::holds(fractional, whole_units(fractional)));
  Instance one_way = instance;
  one_way.symmetric = false;
  CHECK(!ShortTable::holds(one_way, whole_units(one_way)));
  Instance twins = instance;
  for (std::size_t k = 0; k < 20; ++k) twins.flow[k] = twins.flow[k * 20] = twins.flow[20 + k] = twins.flow[k * 20 + 1];
  CHECK(!ShortTable::holds(twins, whole_units(twins)));
  Instance silent = instance;
  for (std::size_t k = 0; k < 20; ++k) silent.flow[k] = silent.flow[k * 20] = 0;  // as nobodies are
  CHECK(!ShortTable::holds(silent, whole_units(silent)));
  const Instance many = random_numbers(129, 129, random);
  CHECK(!ShortTable::holds(many, whole_units(many)));
}
