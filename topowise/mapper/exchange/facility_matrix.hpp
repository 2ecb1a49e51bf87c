// SPDX-License-Identifier: BSD-3-Clause
// Costs as the facilities see them: C[i][j] between the slots of facilities i and j. Loops find their numbers in order,
// whatever was exchanged before, because an exchange swaps two rows and two columns.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <topowise/mapper/exchange/padded_rows.hpp>

namespace topowise {

/// Two whole numbers of 16 bits, of an even row (the lower half) and of the next: an instruction multiplies both and
/// adds the products.
using RowPair = std::uint32_t;

[[nodiscard]] constexpr RowPair row_pair(std::int16_t even, std::int16_t odd) {
  return static_cast<std::uint16_t>(even) | static_cast<RowPair>(static_cast<std::uint16_t>(odd)) << 16;
}
[[nodiscard]] constexpr std::int16_t half_of(RowPair pair, std::size_t row) {
  return static_cast<std::int16_t>(row % 2 == 0 ? pair & 0xffff : pair >> 16);
}

/// What a matrix is made of: float stands for whole numbers that fit into 16 bits (whole_units.hpp).
template <class Number>
using Cell = std::conditional_t<std::is_same_v<Number, float>, RowPair, Number>;
template <class Number>
inline constexpr std::size_t kRowsOfCell = std::is_same_v<Number, float> ? 2 : 1;

template <class Number>
class FacilityMatrix {
 public:
  FacilityMatrix() = default;
  /// Takes the `size` x `size` numbers of `matrix`, in units.
  FacilityMatrix(std::span<const double> matrix, std::size_t size, double unit,
                 std::span<const std::uint32_t> slot_of_facility)
      : size_(size), cells_((size + kRows - 1) / kRows, size, Cell<Number>(0)) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j)
        set(i, j, static_cast<Number>(matrix[slot_of_facility[i] * size + slot_of_facility[j]] / unit));
    }
  }

  [[nodiscard]] Number at(std::size_t i, std::size_t j) const {
    if constexpr (kRows == 2) {
      return half_of(cells_[i / 2][j], i);
    } else {
      return cells_[i][j];
    }
  }
  /// The cells; row i of the matrix is in their row i / kRowsOfCell.
  [[nodiscard]] PaddedRows<Cell<Number>>& cells() { return cells_; }
  [[nodiscard]] const PaddedRows<Cell<Number>>& cells() const { return cells_; }
  [[nodiscard]] std::size_t rows_of_cells() const { return (size_ + kRows - 1) / kRows; }

  void exchange_columns(std::size_t r, std::size_t s) {
    for (std::size_t row = 0; row < rows_of_cells(); ++row) std::swap(cells_[row][r], cells_[row][s]);
  }

 private:
  static constexpr std::size_t kRows = kRowsOfCell<Number>;

  void set(std::size_t i, std::size_t j, Number number) {
    Cell<Number>& cell = cells_[i / kRows][j];
    if constexpr (kRows == 2) {
      const auto half = static_cast<std::int16_t>(number);
      cell = i % 2 == 0 ? row_pair(half, half_of(cell, 1)) : row_pair(half_of(cell, 0), half);
    } else {
      cell = number;
    }
  }

  std::size_t size_ = 0;
  PaddedRows<Cell<Number>> cells_;
};

}  // namespace topowise
