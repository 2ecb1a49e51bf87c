// SPDX-License-Identifier: BSD-3-Clause
// Numbers for tests of kernels.
#pragma once

#include <cstddef>

#include <topowise/base/random.hpp>
#include <topowise/mapper/exchange/padded_rows.hpp>

namespace topowise {

/// Whole numbers for float, where sums must be exact; fractions for double, where all sets must round alike.
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

}  // namespace topowise
