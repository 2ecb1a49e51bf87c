// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange_kernels.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <topowise/base/random.hpp>

using namespace topowise;

namespace {

/// Whole numbers for float, where sums must be exact; fractions for double, where all sets must round alike.
template <class Number>
Number number(Random& random) {
  return sizeof(Number) == 4 ? static_cast<Number>(random.below(19)) - 9 : static_cast<Number>(random.unit() - 0.5);
}

template <class Number>
PaddedRows<Number> random_rows(std::size_t rows, std::size_t columns, Random& random) {
  PaddedRows<Number> result(rows, columns, Number(0));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) result[i][j] = number<Number>(random);
  }
  return result;
}

template <class Number>
void check_products(const ExchangeKernels<Number>& kernels, std::size_t rows, std::size_t columns, Random& random) {
  const PaddedRows<Number> table = random_rows<Number>(rows, columns, random);
  const PaddedRows<Number> x = random_rows<Number>(1, rows, random);
  std::vector<std::uint32_t> at(rows);
  for (std::uint32_t& row : at) row = random.below(static_cast<std::uint32_t>(rows));
  PaddedRows<Number> sum = random_rows<Number>(1, columns, random);
  PaddedRows<Number> expected = sum;
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t q = 0; q < columns; ++q) expected[0][q] += x[0][k] * table[at[k]][q];
  }
  kernels.combine({.x = x[0], .at = at, .rows = table, .sum = sum[0]});
  CHECK(std::equal(sum[0], sum[0] + columns, expected[0]));
  for (std::size_t q = 0; q < columns; ++q) expected[0][q] -= Number(3) * table[0][q];
  kernels.update_held({.row = sum[0], .length = sum.stride(), .x = 3, .d = table[0]});
  CHECK(std::equal(sum[0], sum[0] + columns, expected[0]));
}

/// With y the sums of both ways.
template <class Number>
Number step(const PaddedRows<Number>& ends, bool both_ways, std::size_t i, std::size_t j) {
  const Number one = (ends[0][i] - ends[0][j]) * (ends[1][i] - ends[1][j]);
  return both_ways ? one + (ends[2][i] - ends[2][j]) * (ends[3][i] - ends[3][j]) : one;
}

template <class Number>
void check_weights(const ExchangeKernels<Number>& kernels, std::size_t rows, std::size_t columns, Random& random) {
  const Number rate = Number(-0.37);
  const PaddedRows<Number> ends = random_rows<Number>(4, columns, random);
  const std::size_t groups = group_count(rows);
  for (const bool both_ways : {false, true}) {
    UpperRows<Number> table(rows, columns);
    UpperRows<Number> changed(rows, columns);
    PaddedRows<Number> expected(groups + 1, kLanes<Number>, Number(0));
    for (std::size_t group = 0; group < groups; ++group) {
      for (std::size_t i = row_group(group, rows).first; i < row_group(group, rows).end; ++i) {
        std::vector<Number> of_row(kLanes<Number>);
        for (std::size_t j = table.begin(i); j < table.end(); ++j) {
          if (j > i && j < columns && j % 5 != 1) table[i][j] = Number(20) * number<Number>(random);
          changed[i][j] = table[i][j];
          if (j < columns) changed[i][j] += step(ends, both_ways, i, j);
          of_row[j % kLanes<Number>] += ExchangeWeight<Number>::of(changed[i][j], rate);
        }
        for (std::size_t lane = 0; lane < kLanes<Number>; ++lane) expected[group][lane] += of_row[lane];
      }
      for (std::size_t lane = 0; lane < kLanes<Number>; ++lane) expected[groups][lane] += expected[group][lane];
    }
    PaddedRows<Number> by_lane(groups + 1, kLanes<Number>, Number(-1));
    const ChangeUpdate<Number> update{table,   0,      rows, ends[0], ends[1], both_ways ? ends[2] : nullptr,
                                      ends[3], nullptr};
    kernels.update_and_weigh({.update = update, .rate = rate, .by_lane = by_lane});
    for (std::size_t i = 0; i < rows; ++i)
      REQUIRE(std::equal(table[i] + i + 1, table[i] + columns, changed[i] + i + 1));
    for (std::size_t group = 0; group <= groups; ++group)
      REQUIRE(std::equal(by_lane[group], by_lane[group] + kLanes<Number>, expected[group]));
  }
}

template <class Number>
void check_changes(const ExchangeKernels<Number>& kernels, std::size_t rows, std::size_t columns, Random& random) {
  const Number infinite = std::numeric_limits<Number>::infinity();
  const PaddedRows<Number> ends = random_rows<Number>(4, columns, random);
  for (const bool both_ways : {false, true}) {
    const Number* y = both_ways ? ends[2] : nullptr;
    UpperRows<Number> table(rows, columns);
    PaddedRows<Number> expected(rows, columns, infinite);
    PaddedRows<Number> least(1, rows, infinite);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = i + 1; j < columns; ++j) {
        table[i][j] = j % 7 == 3 ? infinite : number<Number>(random);
        expected[i][j] = table[i][j] + step(ends, both_ways, i, j);
      }
    }
    kernels.update_changes({table, 0, rows, ends[0], ends[1], y, ends[3], least[0]});
    for (std::size_t i = 0; i < rows; ++i) {
      REQUIRE(std::equal(table[i] + i + 1, table[i] + columns, expected[i] + i + 1));
      REQUIRE(least[0][i] == *std::min_element(expected[i], expected[i] + columns));
      REQUIRE(kernels.least(table[i] + table.begin(i), table.length(i)) == least[0][i]);
    }
  }
}

template <class Number>
void check_difference(const ExchangeKernels<Number>& kernels, std::size_t columns, Random& random) {
  PaddedRows<Number> values(1, columns, std::numeric_limits<Number>::infinity());
  for (std::size_t j = 0; j < columns; j += 2) values[0][j] = number<Number>(random);
  const PaddedRows<Number> minus = random_rows<Number>(1, columns, random);
  Number expected = std::numeric_limits<Number>::infinity();
  for (std::size_t j = 0; j < columns; ++j) expected = std::min(expected, values[0][j] - minus[0][j]);
  REQUIRE(kernels.least_difference(values[0], minus[0], values.stride()) == expected);
}

template <class Number>
void check_find(const ExchangeKernels<Number>& kernels, std::size_t columns, Random& random) {
  PaddedRows<Number> row(1, columns, std::numeric_limits<Number>::infinity());
  for (std::size_t j = 0; j < columns; ++j) row[0][j] = number<Number>(random);
  const Number bound = row[0][columns / 2];
  std::vector<std::uint32_t> expected;
  for (std::uint32_t j = 0; j < columns; ++j) {
    if (row[0][j] <= bound) expected.push_back(j);
  }
  std::vector<std::uint32_t> found(row.stride());
  found.resize(kernels.find_at_most(row[0], row.stride(), bound, found.data()));
  std::ranges::sort(found);
  REQUIRE(found == expected);
}

template <class Number>
void check_all() {
  for (const ExchangeKernels<Number>& kernels : exchange_kernels<Number>()) {
    CAPTURE(kernels.name);
    Random random(5);
    for (const std::size_t columns : {1, 2, 15, 16, 17, 40, 100, 700}) {
      CAPTURE(columns);
      check_find(kernels, columns, random);
      check_difference(kernels, columns, random);
      for (const std::size_t rows : {columns, columns - columns / 3}) {
        check_products(kernels, rows, columns, random);
        check_weights(kernels, rows, columns, random);
        check_changes(kernels, rows, columns, random);
      }
    }
  }
}

}  // namespace

TEST_CASE("every instruction set gives what plain loops give, to the last bit") {
  check_all<float>();
  check_all<double>();
}

TEST_CASE("the weight of an exchange is a power of two, at most 6.2 % too much") {
  for (const double entry : {-1.5, -0.7, 0.0, 0.25, 0.5, 1.0, 1.75, 3.3, 7.0, 31.9}) {
    const double exact = std::pow(2.0, -1.5 * entry);
    for (const double weight : {ExchangeWeight<double>::of(entry, -1.5),
                                static_cast<double>(ExchangeWeight<float>::of(static_cast<float>(entry), -1.5F))}) {
      CHECK(weight >= 0.99999 * exact);
      CHECK(weight <= 1.062 * exact);
    }
  }
  CHECK(ExchangeWeight<float>::of(-9.0F, -1.0F) == 8.0F);
  CHECK(ExchangeWeight<float>::of(std::numeric_limits<float>::infinity(), -1.0F) < 1e-30F);
  CHECK(ExchangeWeight<double>::of(1e300, -1.0) < 1e-30);
}
