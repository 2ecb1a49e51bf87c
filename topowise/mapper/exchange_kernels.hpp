// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of the exchange table (exchange_table.hpp), for vector instructions that this processor has.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace topowise {

/// Numbers side by side in one aligned block, as many as the widest vectors hold.
template <class Number>
inline constexpr std::size_t kLanes = 64 / sizeof(Number);

template <class Number>
[[nodiscard]] constexpr std::size_t whole_blocks(std::size_t count) {
  return (count + kLanes<Number> - 1) / kLanes<Number> * kLanes<Number>;
}

/// Rows of numbers, each beginning on a block and filled up to whole blocks.
template <class Number>
class PaddedRows {
 public:
  PaddedRows() = default;
  PaddedRows(std::size_t rows, std::size_t columns, Number fill)
      : stride_(whole_blocks<Number>(columns)), blocks_(rows * stride_ / kLanes<Number>, Block(fill)) {}

  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] Number* operator[](std::size_t row) { return blocks_.data()->lane + row * stride_; }
  [[nodiscard]] const Number* operator[](std::size_t row) const { return blocks_.data()->lane + row * stride_; }

 private:
  struct alignas(64) Block {
    explicit Block(Number fill) {
      for (Number& number : lane) number = fill;
    }
    Number lane[kLanes<Number>];
  };
  std::size_t stride_ = 0;
  std::vector<Block> blocks_;
};

/// The part of a table right of its diagonal, each row from the block on that holds its first entry: half the memory,
/// so that what every step goes through stays in the nearest cache. What else is in these blocks is infinite and
/// remains so.
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
  /// Of column 0, if there were one.
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

/// sum[q] += sum over k of x[k] rows[at[k]][q], in the order of k.
template <class Number>
struct Combination {
  const Number* x = nullptr;
  std::span<const std::uint32_t> at;
  const PaddedRows<Number>& rows;
  Number* sum = nullptr;  ///< as long as a row, aligned
};

/// rows[i][j] += (x[i] - x[j]) (g[i] - g[j]) + (y[i] - y[j]) (e[i] - e[j]) for j > i and first <= i < end, and
/// least[i] = the least of row i; without the second term where y is null. Infinite entries remain so.
template <class Number>
struct ChangeUpdate {
  UpperRows<Number>& rows;
  std::size_t first = 0, end = 0;  ///< of the rows
  const Number* x = nullptr;
  const Number* g = nullptr;
  const Number* y = nullptr;
  const Number* e = nullptr;
  Number* least = nullptr;
};

/// How likely each exchange is at some temperature: the weight of an entry is min(2^kLogMost, 2^(rate * entry)), rate
/// below 0. The power is read off the bits of a floating-point number: x, shifted to where the exponent is, gives its
/// exponent and, by its fraction, the mantissa; between whole x it is linear, at most 6.2 % too much.
template <class Number>
struct ExchangeWeight {
  using Bits = std::conditional_t<sizeof(Number) == 4, std::int32_t, std::int64_t>;
  static constexpr int kMantissa = std::numeric_limits<Number>::digits - 1;
  static constexpr Number kShift = static_cast<Number>(Bits(1) << kMantissa);
  static constexpr int kLogMost = 3;
  static constexpr Number kHighest = kLogMost * kShift;
  static constexpr Number kLowest = -100 * kShift;
  static constexpr Bits kBitsOfOne = Bits(std::numeric_limits<Number>::max_exponent - 1) << kMantissa;

  /// Of one entry, as all kernels weigh it.
  [[nodiscard]] static Number of(Number entry, Number rate) {
    const Number exponent = std::min(std::max(entry * (rate * kShift), kLowest), kHighest);
    return std::bit_cast<Number>(static_cast<Bits>(exponent) + kBitsOfOne);
  }
};

/// Rows that begin at the same column (UpperRows) in groups of up to four: 0 to 2, then 4 k - 1 to 4 k + 2.
struct RowGroup {
  static constexpr std::size_t kRows = 4;
  std::size_t first = 0, end = 0;
};
[[nodiscard]] constexpr std::size_t group_count(std::size_t rows) {
  return rows / RowGroup::kRows + 1;
}
[[nodiscard]] constexpr RowGroup row_group(std::size_t group, std::size_t rows) {
  const std::size_t next = (group + 1) * RowGroup::kRows - 1;
  return {group == 0 ? 0 : next - RowGroup::kRows, std::min(next, rows)};
}

/// An update of a table's rows up to the update's `end` and the weights of its entries thereafter, summed by lane
/// (entries in columns with the same j % kLanes<Number>) for each group of rows, and over all groups in the last row. A
/// lane's sum adds up a row from left to right, then the rows, then the groups, whatever the instruction set.
template <class Number>
struct WeighedUpdate {
  const ChangeUpdate<Number>& update;
  Number rate = 0;
  PaddedRows<Number>& by_lane;
  // Not for the caller to choose; here because GCC 12 makes one instruction of a maximum only if neither side is known.
  Number lowest = ExchangeWeight<Number>::kLowest;
  Number highest = ExchangeWeight<Number>::kHighest;
};

/// One instruction set. All give the same numbers to the last bit, also where the numbers are not whole: `float` is
/// used for whole numbers alone, and for `double` no set is used that would fuse a product with a sum.
template <class Number>
struct ExchangeKernels {
  const char* name;
  void (*update_held)(const HeldUpdate<Number>&);
  void (*combine)(const Combination<Number>&);
  void (*update_changes)(const ChangeUpdate<Number>&);
  void (*update_and_weigh)(const WeighedUpdate<Number>&);
  /// Of whole blocks, aligned.
  Number (*least)(const Number* values, std::size_t count);
  /// Of values[k] - minus[k].
  Number (*least_difference)(const Number* values, const Number* minus, std::size_t count);
  /// Writes where values are at most `bound`, in no particular order, and returns how many. Whole blocks, aligned.
  std::size_t (*find_at_most)(const Number* values, std::size_t count, Number bound, std::uint32_t* found);
};

/// Those that this processor can run, the fastest last; the first is plain.
template <class Number>
[[nodiscard]] std::span<const ExchangeKernels<Number>> exchange_kernels();
template <>
[[nodiscard]] std::span<const ExchangeKernels<float>> exchange_kernels();
template <>
[[nodiscard]] std::span<const ExchangeKernels<double>> exchange_kernels();

}  // namespace topowise
