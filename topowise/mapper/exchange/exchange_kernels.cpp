// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/exchange_kernels.hpp>

#include <array>

namespace topowise {
namespace {

/// What a step needs of as many columns as fit into a vector; both ways where y is not null.
template <class Number, std::size_t kBytes, bool kBothWays>
struct StepColumns {
  using Vector = typename Wide<Number, kBytes>::Vector;

  [[gnu::always_inline]] StepColumns(const ExchangeStep<Number>& of, std::size_t j) : step(of) {
    load(x, step.x + j);
    load(d, step.d + j);
    if constexpr (kBothWays) {
      load(y, step.y + j);
      load(e, step.e + j);
    }
  }
  /// Adds the step of row i in these columns. In this order of operands the numbers of the row come from memory.
  [[gnu::always_inline]] void add_to(Vector& entries, std::size_t i) const {
    if constexpr (kBothWays) {
      entries += (x - step.x[i]) * (d - step.d[i]) + (y - step.y[i]) * (e - step.e[i]);
    } else {
      entries += (x - step.x[i]) * (d - step.d[i]);
    }
  }

  ExchangeStep<Number> step;
  Vector x, d, y, e;
};

/// Finds the least number in a vector, which is halved again and again.
template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void fold_least(const typename Wide<Number, kBytes>::Vector& vector, Number& least) {
  if constexpr (kBytes == 16) {
    least = vector[0];
    for (std::size_t k = 1; k < Wide<Number, kBytes>::kCount; ++k) least = vector[k] < least ? vector[k] : least;
  } else {
    typename Wide<Number, kBytes / 2>::Vector half[2];
    static_assert(sizeof half == sizeof vector);
    std::memcpy(half, &vector, sizeof half);
    const typename Wide<Number, kBytes / 2>::Vector folded = half[1] < half[0] ? half[1] : half[0];
    fold_least<Number, kBytes / 2>(folded, least);
  }
}

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void update_held(const HeldUpdate<Number>& update) {
  typename Wide<Number, kBytes>::Vector values, way;
  for (std::size_t q = 0; q < update.length; q += Wide<Number, kBytes>::kCount) {
    load(values, update.row + q);
    load(way, update.d + q);
    values -= update.x * way;
    store(values, update.row + q);
  }
}

/// Several rows that begin at the same column: what belongs to the columns is loaded once for all of them.
template <class Number, std::size_t kBytes, bool kBothWays, std::size_t kRows>
[[gnu::always_inline]] inline void update_changes(const ChangeUpdate<Number>& update, std::size_t first) {
  using Vector = typename Wide<Number, kBytes>::Vector;
  Number* rows[kRows];
  for (std::size_t k = 0; k < kRows; ++k) rows[k] = update.rows[first + k];
  Vector least[kRows];
  for (Vector& of_row : least) of_row = Vector{} + std::numeric_limits<Number>::infinity();
  const std::size_t end = update.rows.end();
  Vector values;
  for (std::size_t j = UpperRows<Number>::begin(first); j < end; j += Wide<Number, kBytes>::kCount) {
    const StepColumns<Number, kBytes, kBothWays> columns(update.step, j);
    for (std::size_t k = 0; k < kRows; ++k) {
      load(values, rows[k] + j);
      columns.add_to(values, first + k);
      store(values, rows[k] + j);
      least[k] = values < least[k] ? values : least[k];
    }
  }
  for (std::size_t k = 0; k < kRows; ++k) fold_least<Number, kBytes>(least[k], update.least[first + k]);
}

template <class Number, std::size_t kBytes, bool kBothWays>
[[gnu::always_inline]] inline void update_changes(const ChangeUpdate<Number>& update) {
  // Rows 4 k - 1 to 4 k + 2 begin at the same column (UpperRows).
  constexpr std::size_t kRows = 4;
  std::size_t i = update.first;
  for (; i < update.end && (i + 1) % kRows != 0; ++i) update_changes<Number, kBytes, kBothWays, 1>(update, i);
  for (; i + kRows <= update.end; i += kRows) update_changes<Number, kBytes, kBothWays, kRows>(update, i);
  for (; i < update.end; ++i) update_changes<Number, kBytes, kBothWays, 1>(update, i);
}

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void update_changes(const ChangeUpdate<Number>& update) {
  if (update.step.y == nullptr) {
    update_changes<Number, kBytes, false>(update);
  } else {
    update_changes<Number, kBytes, true>(update);
  }
}

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline Number least_of(const Number* values, std::size_t count) {
  using Vector = typename Wide<Number, kBytes>::Vector;
  Vector least = Vector{} + std::numeric_limits<Number>::infinity();
  Vector next;
  for (std::size_t k = 0; k < count; k += Wide<Number, kBytes>::kCount) {
    load(next, values + k);
    least = next < least ? next : least;
  }
  Number result;
  fold_least<Number, kBytes>(least, result);
  return result;
}

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline Number least_difference(const Number* values, const Number* minus, std::size_t count) {
  using Vector = typename Wide<Number, kBytes>::Vector;
  Vector least = Vector{} + std::numeric_limits<Number>::infinity();
  Vector next, less;
  for (std::size_t k = 0; k < count; k += Wide<Number, kBytes>::kCount) {
    load(next, values + k);
    load(less, minus + k);
    next -= less;
    least = next < least ? next : least;
  }
  Number result;
  fold_least<Number, kBytes>(least, result);
  return result;
}

/// Joins the bits of all lanes of a vector, which is halved again and again. One call serves several vectors.
template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void fold_bits(const typename Wide<Number, kBytes>::Mask& mask, std::uint32_t& bits) {
  if constexpr (kBytes == 16) {
    auto all = mask[0];
    for (std::size_t k = 1; k < Wide<Number, kBytes>::kCount; ++k) all |= mask[k];
    bits = static_cast<std::uint32_t>(all);
  } else {
    typename Wide<Number, kBytes / 2>::Mask half[2];
    std::memcpy(half, &mask, sizeof half);
    const typename Wide<Number, kBytes / 2>::Mask folded = half[0] | half[1];
    fold_bits<Number, kBytes / 2>(folded, bits);
  }
}

/// The bits 1, 2, 4 and so on.
template <class Whole>
alignas(64) constexpr std::array<Whole, 32> kBits = [] {
  std::array<Whole, 32> bits;
  for (std::size_t k = 0; k < bits.size(); ++k) bits[k] = static_cast<Whole>(1U << k);
  return bits;
}();

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline std::size_t find_at_most(const Number* values, std::size_t count, Number bound,
                                                       std::uint32_t* found) {
  using Mask = typename Wide<Number, kBytes>::Mask;
  constexpr std::size_t kCount = Wide<Number, kBytes>::kCount;
  constexpr std::size_t kTogether = 32 / kCount;
  typename Wide<Number, kBytes>::Vector next;
  Mask bit_of_lane;
  std::size_t number = 0;
  for (std::size_t k = 0; k < count; k += kTogether * kCount) {
    Mask low = {};
    for (std::size_t v = 0; v < kTogether && k + v * kCount < count; ++v) {
      load(next, values + k + v * kCount);
      load(bit_of_lane, kBits<typename Wide<Number, kBytes>::Whole>.data() + v * kCount);
      low |= (next <= bound) & bit_of_lane;
    }
    std::uint32_t bits = 0;
    fold_bits<Number, kBytes>(low, bits);
    for (; bits != 0; bits &= bits - 1)
      found[number++] = static_cast<std::uint32_t>(k) + static_cast<std::uint32_t>(__builtin_ctz(bits));
  }
  return number;
}

#define TOPOWISE_EXCHANGE_KERNELS(NAME, SET, NUMBER, BYTES, ...)                                                    \
  __VA_ARGS__ void update_held_##NAME(const HeldUpdate<NUMBER>& update) {                                           \
    update_held<NUMBER, BYTES>(update);                                                                             \
  }                                                                                                                 \
  __VA_ARGS__ void update_changes_##NAME(const ChangeUpdate<NUMBER>& update) {                                      \
    update_changes<NUMBER, BYTES>(update);                                                                          \
  }                                                                                                                 \
  __VA_ARGS__ NUMBER least_##NAME(const NUMBER* values, std::size_t count) {                                        \
    return least_of<NUMBER, BYTES>(values, count);                                                                  \
  }                                                                                                                 \
  __VA_ARGS__ NUMBER difference_##NAME(const NUMBER* values, const NUMBER* minus, std::size_t count) {              \
    return least_difference<NUMBER, BYTES>(values, minus, count);                                                   \
  }                                                                                                                 \
  __VA_ARGS__ std::size_t find_##NAME(const NUMBER* values, std::size_t count, NUMBER bound, std::uint32_t* to) {   \
    return find_at_most<NUMBER, BYTES>(values, count, bound, to);                                                   \
  }                                                                                                                 \
  constexpr ExchangeKernels<NUMBER> kKernels_##NAME{InstructionSet::SET, update_held_##NAME, update_changes_##NAME, \
                                                    least_##NAME,        difference_##NAME,  find_##NAME};

TOPOWISE_EXCHANGE_KERNELS(plain_float, kPlain, float, 16, )
TOPOWISE_EXCHANGE_KERNELS(plain_double, kPlain, double, 16, )
TOPOWISE_ON_X86(TOPOWISE_EXCHANGE_KERNELS(avx2_float, kAvx2, float, 32, TOPOWISE_AVX2_FMA))
TOPOWISE_ON_X86(TOPOWISE_EXCHANGE_KERNELS(avx512_float, kAvx512, float, 64, TOPOWISE_AVX512))
TOPOWISE_ON_X86(TOPOWISE_EXCHANGE_KERNELS(avx2_double, kAvx2, double, 32, TOPOWISE_AVX2))

}  // namespace

template <>
std::span<const ExchangeKernels<float>> exchange_kernels() {
  static const auto kernels =
      those_that_run({kKernels_plain_float, TOPOWISE_ON_X86(kKernels_avx2_float, kKernels_avx512_float)});
  return kernels;
}

template <>
std::span<const ExchangeKernels<double>> exchange_kernels() {
  static const auto kernels = those_that_run({kKernels_plain_double, TOPOWISE_ON_X86(kKernels_avx2_double)});
  return kernels;
}

}  // namespace topowise
