// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/exchange_table.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include <tests/fixtures/exchange_instances.hpp>

using namespace topowise;

namespace {

template <class Number>
void exchange_at_random(const Instance& instance, Random& random) {
  const WholeUnits units = whole_units(instance);
  ExchangeTable<Number> table(instance, units, random_start(instance, random));
  check_all_changes(instance, units, table);
  for (int step = 0; step < 12; ++step) {
    table.exchange(random_pair(instance, random));
    check_all_changes(instance, units, table);
    for (std::size_t i = 0; i < table.ranks() && i + 1 < table.facilities(); ++i)
      REQUIRE(table.least(i) == *std::min_element(table.row(i) + i + 1, table.row(i) + table.facilities()));
  }
}

}  // namespace

TEST_CASE("after every exchange every entry is what carrying it out changes") {
  Random random(7);
  for (const bool symmetric : {true, false}) {
    for (const double density : {0.1, 0.5, 1.0}) {
      for (const std::size_t ranks : {9, 18}) {
        for (const std::size_t empty : {0, 3}) {
          const Instance instance = random_instance(ranks, ranks + empty, symmetric, density, 1.0, random);
          REQUIRE(whole_units(instance).fits_float);
          exchange_at_random<float>(instance, random);
          exchange_at_random<double>(instance, random);
        }
      }
    }
  }
  exchange_at_random<double>(random_instance(8, 8, false, 0.5, 0.1, random), random);  // multiples of 0.1
}

TEST_CASE("interchangeable facilities are found, and never exchanged") {
  // 0, 1 and 4 talk to 2 alike, but 4 is not interchangeable: it talks to 3 as well. 5 is silent, as empty slots are.
  Instance instance{.ranks = 6, .slots = 8, .symmetric = true};
  instance.flow.assign(36, 0.0);
  const auto join = [&](std::size_t a, std::size_t b, double bytes) {
    instance.flow[a * 6 + b] = instance.flow[b * 6 + a] = bytes;
  };
  join(0, 1, 7);
  join(0, 2, 3);
  join(1, 2, 3);
  join(4, 2, 3);
  join(4, 3, 1);
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = 0; b < 8; ++b)
      instance.cost.push_back(a == b ? 0.0 : a / 2 == b / 2 ? 1.0 : 2.0 + static_cast<double>((a / 2) * (b / 2)));
  }
  CHECK(first_interchangeable(instance.cost, 8) == std::vector<std::uint32_t>{0, 0, 2, 2, 4, 4, 6, 6});
  CHECK(first_interchangeable(instance.flow, 6) == std::vector<std::uint32_t>{0, 0, 2, 3, 4, 5});
  const std::vector<std::uint32_t> start{0, 1, 2, 3, 4, 5};
  const ExchangeTable<double> table(instance, whole_units(instance), start);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = i + 1; j < 8; ++j) {
      const bool alike = i / 2 == j / 2 || (i == 5 && j > 5);
      CHECK(std::isinf(table.row(i)[j]) == alike);
    }
  }
}
