// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of dense ends (dense_ends.hpp), for vector instructions that this processor has.
#pragma once

#include <cstddef>
#include <span>

#include <topowise/mapper/exchange/facility_matrix.hpp>
#include <topowise/mapper/exchange/padded_rows.hpp>
#include <topowise/mapper/exchange/simd.hpp>

namespace topowise {

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
