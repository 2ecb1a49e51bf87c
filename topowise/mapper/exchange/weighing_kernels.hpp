// SPDX-License-Identifier: BSD-3-Clause
// The inner loop of a weighed table (weighed_table.hpp), for vector instructions that this processor has.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include <topowise/mapper/exchange/exchange_step.hpp>
#include <topowise/mapper/exchange/padded_rows.hpp>
#include <topowise/mapper/exchange/pair_tiles.hpp>
#include <topowise/mapper/exchange/simd.hpp>

namespace topowise {

/// How likely each exchange is at some temperature: the weight of an entry is min(2^kLogMost, 2^(rate * entry)), rate
/// below 0, and at least 2^kLogLeast. The power is read off the bits of a floating-point number: x, shifted to where
/// the exponent is, gives its exponent and, by its fraction, the mantissa; between whole x it is linear, at most 6.2 %
/// too much.
template <class Number>
struct ExchangeWeight {
  using Bits = std::conditional_t<sizeof(Number) == 4, std::int32_t, std::int64_t>;
  static constexpr int kMantissa = std::numeric_limits<Number>::digits - 1;
  static constexpr Number kShift = static_cast<Number>(Bits(1) << kMantissa);
  static constexpr int kLogMost = 3;
  static constexpr int kLogLeast = -100;
  static constexpr Bits kBitsOfOne = Bits(std::numeric_limits<Number>::max_exponent - 1) << kMantissa;
  static constexpr Bits kBitsOfLeast = kBitsOfOne + (Bits(kLogLeast) << kMantissa);

  /// Of one entry, as all kernels weigh it.
  [[nodiscard]] static Number of(Number entry, Number rate) {
    const Number exponent = std::clamp(entry * (rate * kShift), kLogLeast * kShift, kLogMost * kShift);
    return std::bit_cast<Number>(static_cast<Bits>(exponent) + kBitsOfOne);
  }
};

/// Adds a step to all entries of a table, and their weights thereafter by lane: of each tile, and of all tiles in the
/// last row. A lane's sum adds up a tile's column from top to bottom, then the tiles, whatever the instruction set.
template <class Number>
struct WeighedUpdate {
  PairTiles<Number>& table;
  const ExchangeStep<Number>& step;
  Number rate = 0;
  PaddedRows<Number>& by_lane;  ///< a row for each tile, and one more
  // Not for the caller to choose; here because GCC 12 makes one instruction of a minimum only if neither side is known.
  Number highest = ExchangeWeight<Number>::kLogMost * ExchangeWeight<Number>::kShift;
};

/// One instruction set. All give the same numbers to the last bit, also where the numbers are not whole: `float` is
/// used for whole numbers alone, and for `double` no set is used that would fuse a product with a sum.
template <class Number>
struct WeighingKernels {
  InstructionSet set;
  void (*update_and_weigh)(const WeighedUpdate<Number>&);
};

/// Those that this processor can run, the fastest last; the first is plain.
template <class Number>
[[nodiscard]] std::span<const WeighingKernels<Number>> weighing_kernels();
template <>
[[nodiscard]] std::span<const WeighingKernels<float>> weighing_kernels();
template <>
[[nodiscard]] std::span<const WeighingKernels<double>> weighing_kernels();

}  // namespace topowise
