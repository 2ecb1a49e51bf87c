// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/ends_kernels.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <tests/fixtures/exchange_instances.hpp>
#include <topowise/mapper/exchange/dense_ends.hpp>

using namespace topowise;

namespace {

template <class Number>
Cell<Number> random_cell(Random& random) {
  if constexpr (kRowsOfCell<Number> == 2) {
    const auto half = [&] { return static_cast<std::int16_t>(static_cast<int>(random.below(401)) - 200); };
    const std::int16_t even = half();
    return row_pair(even, half());
  } else {
    return random.unit() - 0.5;
  }
}

template <class Number>
Number product(Cell<Number> a, Cell<Number> b) {
  if constexpr (kRowsOfCell<Number> == 2) {
    return static_cast<Number>(half_of(a, 0) * half_of(b, 0) + half_of(a, 1) * half_of(b, 1));
  } else {
    return a * b;
  }
}

template <class Number>
void check_combination(const EndsKernels<Number>& kernels, std::size_t rows, std::size_t columns, Random& random) {
  PaddedRows<Cell<Number>> cells(rows, columns, Cell<Number>(0));
  std::vector<Cell<Number>> x(rows);
  PaddedRows<Number> sum(1, columns, Number(3));
  PaddedRows<Number> expected = sum;
  for (std::size_t k = 0; k < rows; ++k) {
    x[k] = random_cell<Number>(random);
    for (std::size_t j = 0; j < columns; ++j) {
      cells[k][j] = random_cell<Number>(random);
      expected[0][j] += product<Number>(x[k], cells[k][j]);
    }
  }
  kernels.combine({.x = x, .cells = cells, .sum = sum[0]});
  REQUIRE(std::equal(sum[0], sum[0] + columns, expected[0]));
}

/// Checks, for every instruction set, the changes of all exchanges of both ends after an exchange: they equal those of
/// the first instruction set to the last bit, and with the step added those of a whole table made anew.
template <class Number>
void check_ends(const Instance& instance, Random& random) {
  const WholeUnits units = whole_units(instance);
  const std::vector<std::uint32_t> slots = slot_of_facility(random_start(instance, random), instance.slots);
  const FacilityPair pair = random_pair(instance, random);
  std::vector<PaddedRows<Number>> results;
  for (const EndsKernels<Number>& kernels : ends_kernels<Number>()) {
    DenseEnds<Number> ends(instance, units, slots, kernels);
    const PaddedRows<Number> before = ends.changes();
    const auto change = [&](const PaddedRows<Number>& of, std::size_t i, std::size_t j) {
      if (i == j || std::min(i, j) >= instance.ranks) return Number(0);
      return of[std::min(i, j)][std::max(i, j)];
    };
    PaddedRows<Number>& result = results.emplace_back(2, instance.slots, Number(0));
    for (std::size_t i = 0; i < instance.slots; ++i) {
      result[0][i] = change(before, i, pair.j);
      result[1][i] = change(before, i, pair.i);
    }
    ends.exchange(pair.i, pair.j, change(before, pair.i, pair.j), result[0], result[1]);
    ends.settle(pair.i, pair.j);
    const PaddedRows<Number> after = ends.changes();
    for (std::size_t i = 0; i < instance.slots; ++i) {
      const auto is_as = [&](std::size_t end, Number less_step) {
        if (i == end || std::min(i, end) >= instance.ranks) return;
        REQUIRE(less_step + ends.step()(i, end) == doctest::Approx(change(after, i, end)));
      };
      is_as(pair.i, result[0][i]);
      is_as(pair.j, result[1][i]);
    }
    for (std::size_t end = 0; end < 2; ++end) {
      for (std::size_t i = 0; i < instance.slots; ++i) {
        if (i != pair.i && i != pair.j) REQUIRE(result[end][i] == results.front()[end][i]);
      }
    }
  }
}

}  // namespace

TEST_CASE("every instruction set combines rows as plain loops do, to the last bit") {
  Random random(5);
  for (const std::size_t columns : {1, 15, 16, 17, 40, 130, 300}) {
    for (const std::size_t rows : {1, 2, 21}) {
      for (const auto& kernels : ends_kernels<float>()) check_combination(kernels, rows, columns, random);
      for (const auto& kernels : ends_kernels<double>()) check_combination(kernels, rows, columns, random);
    }
  }
}

TEST_CASE("every instruction set finds what exchanges of both ends change") {
  Random random(6);
  for (const bool symmetric : {true, false}) {
    for (const std::size_t ranks : {2, 9, 17, 40}) {
      for (const std::size_t empty : {0, 5}) {
        for (int repetition = 0; repetition < 6; ++repetition) {
          const Instance whole = random_instance(ranks, ranks + empty, symmetric, 1.0, 1.0, random);
          check_ends<float>(whole, random);
          check_ends<double>(whole, random);
          check_ends<double>(random_instance(ranks, ranks + empty, symmetric, 1.0, 0.1, random), random);
        }
      }
    }
  }
}
