// SPDX-License-Identifier: BSD-3-Clause
// One source, written with the compiler's vector types, is compiled for vectors of 16, 32 and 64 bytes; which one runs
// is decided once, by what the processor says that it has. On other than x86-64 processors there is the first alone,
// which their compilers turn into the vector instructions of their own.
#include <topowise/mapper/exchange_kernels.hpp>

#include <cstring>
#include <type_traits>

namespace topowise {
namespace {

template <class Number, std::size_t kBytes>
struct Wide {
  using Vector [[gnu::vector_size(kBytes)]] = Number;
  using Whole = std::conditional_t<sizeof(Number) == 4, std::int32_t, std::int64_t>;
  using Mask [[gnu::vector_size(kBytes)]] = Whole;
  static constexpr std::size_t kCount = kBytes / sizeof(Number);
};

template <class Vector, class Number>
[[gnu::always_inline]] inline void load(Vector& vector, const Number* from) {
  std::memcpy(&vector, __builtin_assume_aligned(from, sizeof(Vector)), sizeof(Vector));
}

template <class Vector, class Number>
[[gnu::always_inline]] inline void store(const Vector& vector, Number* to) {
  std::memcpy(__builtin_assume_aligned(to, sizeof(Vector)), &vector, sizeof(Vector));
}

/// The least of the numbers in a vector, halved again and again.
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

/// As many vectors side by side as stay in registers.
template <class Number, std::size_t kBytes, std::size_t kVectors>
[[gnu::always_inline]] inline void combine(const Combination<Number>& combination, std::size_t q) {
  using Vector = typename Wide<Number, kBytes>::Vector;
  constexpr std::size_t kCount = Wide<Number, kBytes>::kCount;
  Vector sum[kVectors];
  Vector way;
  for (std::size_t v = 0; v < kVectors; ++v) load(sum[v], combination.sum + q + v * kCount);
  for (std::size_t k = 0; k < combination.at.size(); ++k) {
    const Number* row = combination.rows[combination.at[k]] + q;
    for (std::size_t v = 0; v < kVectors; ++v) {
      load(way, row + v * kCount);
      sum[v] += combination.x[k] * way;
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) store(sum[v], combination.sum + q + v * kCount);
}

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void combine(const Combination<Number>& combination) {
  constexpr std::size_t kCount = Wide<Number, kBytes>::kCount;
  const std::size_t end = combination.rows.stride();
  std::size_t q = 0;
  for (; q + 8 * kCount <= end; q += 8 * kCount) combine<Number, kBytes, 8>(combination, q);
  for (; q + 4 * kCount <= end; q += 4 * kCount) combine<Number, kBytes, 4>(combination, q);
  for (; q < end; q += kCount) combine<Number, kBytes, 1>(combination, q);
}

/// Several rows that begin at the same column: what belongs to the columns is loaded once for all of them.
template <class Number, std::size_t kBytes, bool kBothWays, std::size_t kRows>
[[gnu::always_inline]] inline void update_changes(const ChangeUpdate<Number>& update, std::size_t first) {
  using Vector = typename Wide<Number, kBytes>::Vector;
  Number* row[kRows];
  Vector least[kRows];
  for (std::size_t k = 0; k < kRows; ++k) {
    row[k] = update.rows[first + k];
    least[k] = Vector{} + std::numeric_limits<Number>::infinity();
  }
  const std::size_t end = update.rows.end();
  Vector values, x, g, y, e;
  for (std::size_t j = UpperRows<Number>::begin(first); j < end; j += Wide<Number, kBytes>::kCount) {
    load(x, update.x + j);
    load(g, update.g + j);
    if constexpr (kBothWays) {
      load(y, update.y + j);
      load(e, update.e + j);
    }
    for (std::size_t k = 0; k < kRows; ++k) {
      load(values, row[k] + j);
      if constexpr (kBothWays) {
        values += (update.x[first + k] - x) * (update.g[first + k] - g) +
                  (update.y[first + k] - y) * (update.e[first + k] - e);
      } else {
        values += (update.x[first + k] - x) * (update.g[first + k] - g);
      }
      store(values, row[k] + j);
      least[k] = values < least[k] ? values : least[k];
    }
  }
  for (std::size_t k = 0; k < kRows; ++k) fold_least<Number, kBytes>(least[k], update.least[first + k]);
}

template <class Number, std::size_t kBytes, bool kBothWays>
[[gnu::always_inline]] inline void update_changes(const ChangeUpdate<Number>& update) {
  constexpr std::size_t kTogether = 4;  // rows 4 k - 1 to 4 k + 2 begin together
  std::size_t i = update.first;
  for (; i < update.end && (i + 1) % kTogether != 0; ++i) update_changes<Number, kBytes, kBothWays, 1>(update, i);
  for (; i + kTogether <= update.end; i += kTogether) update_changes<Number, kBytes, kBothWays, kTogether>(update, i);
  for (; i < update.end; ++i) update_changes<Number, kBytes, kBothWays, 1>(update, i);
}

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void update_changes(const ChangeUpdate<Number>& update) {
  if (update.y == nullptr) {
    update_changes<Number, kBytes, false>(update);
  } else {
    update_changes<Number, kBytes, true>(update);
  }
}

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void weigh(const typename Wide<Number, kBytes>::Vector& entries, Number shifted_rate,
                                         typename Wide<Number, kBytes>::Mask& sum) {
  using Vector = typename Wide<Number, kBytes>::Vector;
  using Mask = typename Wide<Number, kBytes>::Mask;
  using Each = ExchangeWeight<Number>;
  Vector exponent = entries * shifted_rate;
  exponent = exponent > Vector{} + Each::kLowest ? exponent : Vector{} + Each::kLowest;
  exponent = exponent < Vector{} ? exponent : Vector{};
  const Mask bits = __builtin_convertvector(exponent, Mask) + Each::kBitsOfFull;
  Vector weight;
  std::memcpy(&weight, &bits, sizeof weight);
  sum += __builtin_convertvector(weight, Mask);
}

/// A block of lanes takes several vectors where these are short.
template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void sum_weights(const WeightSum<Number>& weights) {
  using Mask = typename Wide<Number, kBytes>::Mask;
  constexpr std::size_t kCount = Wide<Number, kBytes>::kCount;
  constexpr std::size_t kVectors = kLanes<Number> / kCount;
  const Number rate = weights.rate * ExchangeWeight<Number>::kShift;
  typename Wide<Number, kBytes>::Vector entries;
  Mask all[kVectors] = {};
  std::size_t group = 0;
  for (std::size_t first = 0; first < weights.count; first += kWeightRows, ++group) {
    const std::size_t end = first + kWeightRows < weights.count ? first + kWeightRows : weights.count;
    Mask sum[kVectors] = {};
    for (std::size_t i = first; i < end; ++i) {
      const Number* row = weights.rows[i];
      for (std::size_t j = UpperRows<Number>::begin(i); j < weights.rows.end(); j += kLanes<Number>) {
        for (std::size_t v = 0; v < kVectors; ++v) {
          load(entries, row + j + v * kCount);
          weigh<Number, kBytes>(entries, rate, sum[v]);
        }
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      all[v] += sum[v];
      store(sum[v], weights.by_lane[group] + v * kCount);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) store(all[v], weights.by_lane[group] + v * kCount);
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

/// The bits of all lanes together, halved again and again.
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

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline std::size_t find_at_most(const Number* values, std::size_t count, Number bound,
                                                       std::uint32_t* found) {
  typename Wide<Number, kBytes>::Vector next;
  typename Wide<Number, kBytes>::Mask bit_of_lane;
  constexpr std::size_t kCount = Wide<Number, kBytes>::kCount;
  for (std::size_t lane = 0; lane < kCount; ++lane) bit_of_lane[lane] = 1 << lane;
  std::size_t number = 0;
  for (std::size_t k = 0; k < count; k += kCount) {
    load(next, values + k);
    const typename Wide<Number, kBytes>::Mask low = (next <= bound) & bit_of_lane;
    std::uint32_t bits = 0;
    fold_bits<Number, kBytes>(low, bits);
    for (; bits != 0; bits &= bits - 1)
      found[number++] = static_cast<std::uint32_t>(k) + static_cast<std::uint32_t>(__builtin_ctz(bits));
  }
  return number;
}

// A function for one instruction set, into which the templates above are inlined: only then do they use it.
#define TOPOWISE_EXCHANGE_KERNELS(SET, NUMBER, BYTES, ...)                                                       \
  __VA_ARGS__ void update_held_##SET(const HeldUpdate<NUMBER>& update) {                                         \
    update_held<NUMBER, BYTES>(update);                                                                          \
  }                                                                                                              \
  __VA_ARGS__ void combine_##SET(const Combination<NUMBER>& combination) {                                       \
    combine<NUMBER, BYTES>(combination);                                                                         \
  }                                                                                                              \
  __VA_ARGS__ void weights_##SET(const WeightSum<NUMBER>& update) {                                              \
    sum_weights<NUMBER, BYTES>(update);                                                                          \
  }                                                                                                              \
  __VA_ARGS__ void update_changes_##SET(const ChangeUpdate<NUMBER>& update) {                                    \
    update_changes<NUMBER, BYTES>(update);                                                                       \
  }                                                                                                              \
  __VA_ARGS__ NUMBER least_##SET(const NUMBER* values, std::size_t count) {                                      \
    return least_of<NUMBER, BYTES>(values, count);                                                               \
  }                                                                                                              \
  __VA_ARGS__ NUMBER difference_##SET(const NUMBER* values, const NUMBER* minus, std::size_t count) {            \
    return least_difference<NUMBER, BYTES>(values, minus, count);                                                \
  }                                                                                                              \
  __VA_ARGS__ std::size_t find_##SET(const NUMBER* values, std::size_t count, NUMBER bound, std::uint32_t* to) { \
    return find_at_most<NUMBER, BYTES>(values, count, bound, to);                                                \
  }                                                                                                              \
  constexpr ExchangeKernels<NUMBER> kKernels_##SET{                                                              \
      #SET,          update_held_##SET, combine_##SET,    update_changes_##SET,                                  \
      weights_##SET, least_##SET,       difference_##SET, find_##SET};

TOPOWISE_EXCHANGE_KERNELS(plain_float, float, 16, )
TOPOWISE_EXCHANGE_KERNELS(plain_double, double, 16, )

#if defined(__x86_64__)
TOPOWISE_EXCHANGE_KERNELS(avx2_float, float, 32, [[gnu::target("avx2,fma")]])
TOPOWISE_EXCHANGE_KERNELS(avx512_float, float, 64, [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw,fma")]])
TOPOWISE_EXCHANGE_KERNELS(avx2_double, double, 32, [[gnu::target("avx2")]])

template <class Number>
using Sets = std::vector<ExchangeKernels<Number>>;

void add_fast(Sets<float>& sets) {
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets.push_back(kKernels_avx2_float);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("fma"))
    sets.push_back(kKernels_avx512_float);
}
void add_fast(Sets<double>& sets) {
  if (__builtin_cpu_supports("avx2")) sets.push_back(kKernels_avx2_double);
}
#else
template <class Number>
using Sets = std::vector<ExchangeKernels<Number>>;
template <class Number>
void add_fast(Sets<Number>&) {}
#endif

template <class Number>
Sets<Number> find_sets(const ExchangeKernels<Number>& plain) {
  Sets<Number> sets{plain};
  add_fast(sets);
  return sets;
}

}  // namespace

template <>
std::span<const ExchangeKernels<float>> exchange_kernels() {
  static const Sets<float> sets = find_sets(kKernels_plain_float);
  return sets;
}

template <>
std::span<const ExchangeKernels<double>> exchange_kernels() {
  static const Sets<double> sets = find_sets(kKernels_plain_double);
  return sets;
}

}  // namespace topowise
