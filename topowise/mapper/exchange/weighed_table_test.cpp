// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/weighed_table.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>

#include <topowise/mapper/exchange/test_instances.hpp>

using namespace topowise;

namespace {

template <class Number>
double expected_weights(const WeighedTable<Number>& table, Number rate) {
  double sum = 0;
  for (std::size_t i = 0; i < table.ranks(); ++i) {
    for (std::size_t j = i + 1; j < table.facilities(); ++j)
      sum += ExchangeWeight<Number>::of(table.change(i, j), rate);
  }
  return sum;
}

template <class Number>
void exchange_at_random(const Instance& instance, Random& random) {
  constexpr Number kRate = Number(-0.1);
  constexpr std::size_t kMemory = 3;
  const WholeUnits units = whole_units(instance);
  WeighedTable<Number> table(instance, units, random_start(instance, random));
  const std::size_t all = check_all_changes(instance, units, table);
  table.hide_last(kMemory);
  table.weigh(static_cast<double>(kRate));
  for (int step = 0; step < 30; ++step) {
    const FacilityPair pair = random_pair(instance, random);
    if (std::isinf(table.change(pair.i, pair.j))) continue;  // twins or hidden
    table.exchange(pair);
    CHECK(std::isinf(table.change(pair.i, pair.j)));
    REQUIRE(table.sum_of_weights() == doctest::Approx(expected_weights(table, kRate)).epsilon(1e-4));
    const std::size_t finite = check_all_changes(instance, units, table);
    REQUIRE(finite + table.hidden() == all);
  }
  while (table.hidden() > 0) table.show_oldest();
  table.weigh(static_cast<double>(kRate));
  CHECK(check_all_changes(instance, units, table) == all);
  REQUIRE(table.sum_of_weights() == doctest::Approx(expected_weights(table, kRate)).epsilon(1e-4));
}

/// How often every pair is found when the sum of weights is gone through in `draws` equal steps.
std::map<std::array<std::uint32_t, 2>, int> pairs_found(const WeighedTable<float>& table, int draws) {
  std::map<std::array<std::uint32_t, 2>, int> found;
  for (int k = 0; k < draws; ++k) {
    const std::optional<FacilityPair> pair = table.find((k + 0.5) / draws * table.sum_of_weights());
    REQUIRE(pair);
    REQUIRE(pair->i < pair->j);
    ++found[{pair->i, pair->j}];
  }
  return found;
}

}  // namespace

TEST_CASE("a weighed table holds what carrying exchanges out changes, but for the last exchanges, and their weights") {
  Random random(9);
  for (const bool symmetric : {true, false}) {
    for (const double density : {0.3, 1.0}) {
      for (const std::size_t ranks : {6, 16, 21, 37}) {
        for (const std::size_t empty : {0, 3, 14}) {
          CAPTURE(symmetric);
          CAPTURE(ranks);
          CAPTURE(empty);
          const Instance instance = random_instance(ranks, ranks + empty, symmetric, density, 1.0, random);
          exchange_at_random<float>(instance, random);
          exchange_at_random<double>(instance, random);
        }
      }
    }
  }
}

TEST_CASE("every exchange is found as often as it weighs") {
  Random random(3);
  const Instance instance = random_instance(21, 23, true, 1.0, 1.0, random);
  WeighedTable<float> table(instance, whole_units(instance), random_start(instance, random));
  constexpr float kRate = -0.05F;
  table.weigh(static_cast<double>(kRate));
  constexpr int kDraws = 200'000;
  auto found = pairs_found(table, kDraws);
  for (std::uint32_t i = 0; i < 21; ++i) {
    for (std::uint32_t j = i + 1; j < 23; ++j) {
      const double share = ExchangeWeight<float>::of(table.change(i, j), kRate) / table.sum_of_weights();
      CHECK(std::abs(found[{i, j}] - share * kDraws) <= 1 + 1e-3 * share * kDraws);
    }
  }
  const std::optional<DrawnExchange> next = table.draw(random);
  REQUIRE(next);
  CHECK(next->time == 1 / table.sum_of_weights());
}
