// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/exchange_kernels.hpp>

#include <doctest/doctest.h>

#include <algorithm>

#include <topowise/base/random.hpp>

using namespace topowise;

namespace {

/// Whole numbers for float, because its sums must be exact; fractions for double, because all instruction sets must
/// round alike.
template <class Number>
Number random_number(Random& random) {
  return sizeof(Number) == 4 ? static_cast<Number>(random.below(19)) - 9 : static_cast<Number>(random.unit() - 0.5);
}

template <class Number>
PaddedRows<Number> random_rows(std::size_t rows, std::size_t columns, Random& random) {
  PaddedRows<Number> result(rows, columns, Number(0));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) result[i][j] = random_number<Number>(random);
  }
  return result;
}

template <class Number>
void check_held(const ExchangeKernels<Number>& kernels, std::size_t columns, Random& random) {
  PaddedRows<Number> rows = random_rows<Number>(2, columns, random);
  PaddedRows<Number> expected = rows;
  for (std::size_t q = 0; q < columns; ++q) expected[0][q] -= Number(3) * rows[1][q];
  kernels.update_held({.row = rows[0], .length = rows.stride(), .x = 3, .d = rows[1]});
  CHECK(std::equal(rows[0], rows[0] + columns, expected[0]));
}

template <class Number>
void check_changes(const ExchangeKernels<Number>& kernels, std::size_t rows, std::size_t columns, Random& random) {
  const Number infinite = std::numeric_limits<Number>::infinity();
  const PaddedRows<Number> ends = random_rows<Number>(4, columns, random);
  for (const bool both_ways : {false, true}) {
    const ExchangeStep<Number> step{ends[0], ends[1], both_ways ? ends[2] : nullptr, ends[3]};
    UpperRows<Number> table(rows, columns);
    PaddedRows<Number> expected(rows, columns, infinite);
    PaddedRows<Number> least(1, rows, infinite);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = i + 1; j < columns; ++j) {
        table[i][j] = j % 7 == 3 ? infinite : random_number<Number>(random);
        expected[i][j] = table[i][j] + step(i, j);
      }
    }
    kernels.update_changes({.rows = table, .first = 0, .end = rows, .step = step, .least = least[0]});
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
  for (std::size_t j = 0; j < columns; j += 2) values[0][j] = random_number<Number>(random);
  const PaddedRows<Number> minus = random_rows<Number>(1, columns, random);
  Number expected = std::numeric_limits<Number>::infinity();
  for (std::size_t j = 0; j < columns; ++j) expected = std::min(expected, values[0][j] - minus[0][j]);
  REQUIRE(kernels.least_difference(values[0], minus[0], values.stride()) == expected);
}

template <class Number>
void check_find(const ExchangeKernels<Number>& kernels, std::size_t columns, Random& random) {
  PaddedRows<Number> row(1, columns, std::numeric_limits<Number>::infinity());
  for (std::size_t j = 0; j < columns; ++j) row[0][j] = random_number<Number>(random);
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
    CAPTURE(static_cast<int>(kernels.set));
    Random random(5);
    for (const std::size_t columns : {1, 2, 15, 16, 17, 40, 100, 700}) {
      CAPTURE(columns);
      check_held(kernels, columns, random);
      check_find(kernels, columns, random);
      check_difference(kernels, columns, random);
      for (const std::size_t rows : {columns, columns - columns / 3}) {
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
