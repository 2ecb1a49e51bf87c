// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange_table.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include <topowise/base/random.hpp>

using namespace topowise;

namespace {

Instance random_instance(std::size_t ranks, std::size_t slots, bool symmetric, double density, double unit,
                         Random& random) {
  Instance instance{.ranks = ranks, .slots = slots, .symmetric = symmetric};
  const auto fill = [&](std::vector<double>& matrix, std::size_t n, double share) {
    matrix.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j || (symmetric && j > i) || random.unit() >= share) continue;
        matrix[i * n + j] = unit * (1 + random.below(9));
        if (symmetric) matrix[j * n + i] = matrix[i * n + j];
      }
    }
  };
  fill(instance.flow, ranks, density);
  fill(instance.cost, slots, 1.0);
  return instance;
}

/// The slow way: every exchange carried out and the whole cost computed.
template <class Number>
void check_all_deltas(const Instance& instance, const WholeUnits& units, const ExchangeTable<Number>& table) {
  std::vector<std::uint32_t> slots(table.slots().begin(), table.slots().end());
  const auto cost = [&] { return instance.cost_of(std::span(slots).first(instance.ranks)); };
  const double before = cost();
  for (std::size_t i = 0; i < table.ranks(); ++i) {
    for (std::size_t j = i + 1; j < table.items(); ++j) {
      if (std::isinf(table.row(i)[j])) continue;  // twins: below
      std::swap(slots[i], slots[j]);
      REQUIRE(cost() - before == doctest::Approx(units.flow * units.cost * static_cast<double>(table.row(i)[j])));
      std::swap(slots[i], slots[j]);
    }
  }
}

template <class Number>
void exchange_at_random(const Instance& instance, const WholeUnits& units, Random& random) {
  std::vector<std::uint32_t> start(instance.slots);
  std::iota(start.begin(), start.end(), 0U);
  random.shuffle(std::span(start));
  start.resize(instance.ranks);
  ExchangeTable<Number> table(instance, units, start);
  check_all_deltas(instance, units, table);
  for (int step = 0; step < 12; ++step) {
    const std::uint32_t r = random.below(static_cast<std::uint32_t>(instance.ranks));
    const std::uint32_t s = random.below(static_cast<std::uint32_t>(instance.slots));
    if (r == s) continue;
    table.exchange(std::min(r, s), std::max(r, s));
    check_all_deltas(instance, units, table);
  }
}

}  // namespace

TEST_CASE("after every exchange every entry is what carrying it out changes") {
  Random random(7);
  for (const bool symmetric : {true, false}) {
    for (const double density : {0.1, 0.5, 1.0}) {
      for (const std::size_t empty : {0, 3}) {
        const Instance instance = random_instance(9, 9 + empty, symmetric, density, 1.0, random);
        const WholeUnits units = whole_units(instance);
        REQUIRE(units.fits_float);
        exchange_at_random<float>(instance, units, random);
        exchange_at_random<double>(instance, units, random);
      }
    }
  }
}

TEST_CASE("exchanges with weights leave the same entries, but for those hidden") {
  Random random(9);
  for (const bool symmetric : {true, false}) {
    for (const double density : {0.1, 1.0}) {
      for (const std::size_t empty : {0, 3}) {
        const Instance instance = random_instance(9, 9 + empty, symmetric, density, 1.0, random);
        std::vector<std::uint32_t> start(instance.ranks);
        std::iota(start.begin(), start.end(), 0U);
        ExchangeTable<float> plain(instance, whole_units(instance), start);
        ExchangeTable<float> weighed(instance, whole_units(instance), start);
        PaddedRows<float> by_lane(group_count(9) + 1, kLanes<float>, 0.0F);
        PaddedRows<float> expected = by_lane;
        for (int exchange = 0; exchange < 40; ++exchange) {
          const std::uint32_t r = random.below(8);
          const std::uint32_t s = r + 1 + random.below(static_cast<std::uint32_t>(instance.slots) - r - 1);
          if (std::isinf(weighed.row(r)[s])) continue;  // twins or hidden
          weighed.hide(r, s);
          if (weighed.hidden() > 3) weighed.show_oldest();
          plain.exchange(r, s);
          weighed.exchange_and_weigh(r, s, -0.1F, by_lane);
          std::size_t differ = 0;
          for (std::size_t i = 0; i < 9; ++i) {
            for (std::size_t j = i + 1; j < instance.slots; ++j) {
              if (plain.row(i)[j] == weighed.row(i)[j]) continue;
              ++differ;
              REQUIRE(std::isinf(weighed.row(i)[j]));
            }
          }
          REQUIRE(differ <= weighed.hidden());
          weighed.weigh(-0.1F, expected);
          for (std::size_t lane = 0; lane < kLanes<float>; ++lane)
            REQUIRE(by_lane[group_count(9)][lane] == expected[group_count(9)][lane]);
        }
        while (weighed.hidden() > 0) weighed.show_oldest();
        for (std::size_t i = 0; i < 9; ++i)
          CHECK(std::equal(plain.row(i) + i + 1, plain.row(i) + instance.slots, weighed.row(i) + i + 1));
      }
    }
  }
}

TEST_CASE("float only where it is exact") {
  Random random(8);
  CHECK(whole_units(random_instance(8, 8, true, 1.0, 1 << 20, random)).fits_float);  // megabytes are whole units
  CHECK_FALSE(whole_units(random_instance(8, 8, true, 1.0, 0.1, random)).fits_float);
  Instance wide = random_instance(8, 8, true, 1.0, 1.0, random);
  wide.flow[1] = wide.flow[8] = 12345679;
  CHECK_FALSE(whole_units(wide).fits_float);
  const Instance tenths = random_instance(8, 8, false, 0.5, 0.1, random);
  exchange_at_random<double>(tenths, whole_units(tenths), random);
}

TEST_CASE("twins are found, and never exchanged") {
  // 0, 1 and 4 talk to 2 alike, but 4 is nobody's equal: it talks to 3 as well. 5 is silent, as empty slots are.
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
  CHECK(first_twins(instance.cost, 8) == std::vector<std::uint32_t>{0, 0, 2, 2, 4, 4, 6, 6});
  CHECK(first_twins(instance.flow, 6) == std::vector<std::uint32_t>{0, 0, 2, 3, 4, 5});
  const std::vector<std::uint32_t> start{0, 1, 2, 3, 4, 5};
  const ExchangeTable<double> table(instance, whole_units(instance), start);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = i + 1; j < 8; ++j) {
      const bool twins = i / 2 == j / 2 || (i == 5 && j > 5);
      CHECK(std::isinf(table.row(i)[j]) == twins);
    }
  }
}
