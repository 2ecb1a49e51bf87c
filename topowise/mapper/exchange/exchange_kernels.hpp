// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of the exchange table (exchange_table.hpp), for vector instructions that this processor has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <topowise/mapper/exchange/exchange_step.hpp>
#include <topowise/mapper/exchange/padded_rows.hpp>
#include <topowise/mapper/exchange/simd.hpp>

namespace topowise {

/// The part of a table right of its diagonal, each row from the block on that holds its first entry: half the memory,
/// so that what every step goes through stays in the nearest cache. All other entries of these blocks are infinite and
/// remain so.
template <class Number>
class UpperRows {
 public:
  UpperRows(std::size_t rows, std::size_t columns) : end_(whole_blocks<Number>(columns)) {
    std::size_t size = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      base_.push_back(size - begin(row));
      size += end_ - begin(row);
    }
    numbers_ = PaddedRows<Number>(1, size, std::numeric_limits<Number>::infinity());
  }

  /// The first and the last column of row i that there is memory for, whole blocks.
  [[nodiscard]] static std::size_t begin(std::size_t i) { return (i + 1) / kLanes<Number> * kLanes<Number>; }
  [[nodiscard]] std::size_t end() const { return end_; }
  [[nodiscard]] std::size_t length(std::size_t i) const { return end_ - begin(i); }
  /// Where column 0 of row i would be, if there were one.
  [[nodiscard]] Number* operator[](std::size_t i) { return numbers_[0] + base_[i]; }
  [[nodiscard]] const Number* operator[](std::size_t i) const { return numbers_[0] + base_[i]; }

 private:
  std::size_t end_;
  std::vector<std::size_t> base_;
  PaddedRows<Number> numbers_;
};

/// row[q] -= x d[q]
template <class Number>
struct HeldUpdate {
  Number* row = nullptr;   ///< aligned
  std::size_t length = 0;  ///< whole blocks
  Number x = 0;
  const Number* d = nullptr;
};

/// Adds a step to the entries of row first <= i < end and column j > i; least[i] becomes the least of row i. Infinite
/// entries remain so.
template <class Number>
struct ChangeUpdate {
  UpperRows<Number>& rows;
  std::size_t first = 0, end = 0;  ///< rows from `first` up to but without `end`
  const ExchangeStep<Number>& step;
  Number* least = nullptr;
};

/// The kernels of one instruction set. All sets give the same numbers to the last bit, also where the numbers are not
/// whole: `float` is used for whole numbers alone, and for `double` no set is used that would fuse a product with a
/// sum.
template <class Number>
struct ExchangeKernels {
  InstructionSet set;
  void (*update_held)(const HeldUpdate<Number>&);
  void (*update_changes)(const ChangeUpdate<Number>&);
  /// The least of `values`: whole blocks, aligned.
  Number (*least)(const Number* values, std::size_t count);
  /// The least of values[k] - minus[k].
  Number (*least_difference)(const Number* values, const Number* minus, std::size_t count);
  /// Writes the indices of values that are at most `bound`, in no particular order, and returns how many. Whole blocks,
  /// aligned.
  std::size_t (*find_at_most)(const Number* values, std::size_t count, Number bound, std::uint32_t* found);
};

/// The kernels that this processor can run, the fastest last; the first is plain.
template <class Number>
[[nodiscard]] std::span<const ExchangeKernels<Number>> exchange_kernels();
template <>
[[nodiscard]] std::span<const ExchangeKernels<float>> exchange_kernels();
template <>
[[nodiscard]] std::span<const ExchangeKernels<double>> exchange_kernels();

}  // namespace topowise
