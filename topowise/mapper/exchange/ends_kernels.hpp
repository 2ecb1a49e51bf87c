// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of dense ends (dense_ends.hpp), for vector instructions that this processor has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <topowise/mapper/exchange/padded_rows.hpp>
#include <topowise/mapper/exchange/simd.hpp>

namespace topowise {

// Costs as the facilities see them: C[i][j] between the slots of facilities i and j. Loops find their numbers in order,
// whatever was exchanged before, because an exchange swaps two rows and two columns.

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

/// sum[j] += sum over k of x[k] C[k][j], in the order of k.
template <class Number>
struct Combination {
  std::span<const Cell<Number>> x;  ///< as many as there are rows of cells
  const PaddedRows<Cell<Number>>& cells;
  Number* sum = nullptr;  ///< as long as a row, aligned
};

/// Rows r and s of a matrix.
template <class Number>
struct EndRows {
  Cell<Number>* of_r = nullptr;
  Cell<Number>* of_s = nullptr;
  std::size_t r = 0, s = 0;
};

/// What the exchanges with r and with s would change once r and s have exchanged their slots, less what the update of
/// the whole table will add to that; the formulas are in exchange_table.hpp. Swaps the rows. What is written at r and s
/// themselves has no meaning.
template <class Number>
struct EndsUpdate {
  EndRows<Number> from, to;       ///< of D and, if it is not symmetric, of its transpose
  Number cost_rs = 0;             ///< D[a][b]
  Number cost_sr = 0;             ///< D[b][a]
  Number flow_sr = 0;             ///< F[s][r], or both flows if matrices are symmetric
  Number flow_rs = 0;             ///< F[r][s]
  const Number* apart = nullptr;  ///< h_r - h_s, by facility
  const Number* x = nullptr;      ///< by facility
  const Number* y = nullptr;      ///< null if matrices are symmetric
  Number* d = nullptr;            ///< by facility
  Number* e = nullptr;
  Number* changes_r = nullptr;  ///< before: of the exchanges with s
  Number* changes_s = nullptr;  ///< before: of the exchanges with r
  std::size_t length = 0;       ///< whole blocks
};

/// The kernels of one instruction set. All sets give the same numbers to the last bit, also where the numbers are not
/// whole: `float` is used for whole numbers alone, and for `double` no set is used that would fuse a product with a
/// sum.
template <class Number>
struct EndsKernels {
  InstructionSet set;
  void (*combine)(const Combination<Number>&);
  void (*update_ends)(const EndsUpdate<Number>&);
};

/// The kernels that this processor can run, the fastest last; the first is plain.
template <class Number>
[[nodiscard]] std::span<const EndsKernels<Number>> ends_kernels();
template <>
[[nodiscard]] std::span<const EndsKernels<float>> ends_kernels();
template <>
[[nodiscard]] std::span<const EndsKernels<double>> ends_kernels();

}  // namespace topowise
