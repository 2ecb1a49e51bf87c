// SPDX-License-Identifier: BSD-3-Clause
// One source, written with the compiler's vector types, is compiled for vectors of 16, 32 and 64 bytes; which one runs
// is decided once, by what the processor says that it has. On other than x86-64 processors there is the first alone,
// which their compilers turn into the vector instructions of their own.
#include <topowise/mapper/exchange_kernels.hpp>

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

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

/// `width` vectors side by side, at most kMost.
template <class Number, std::size_t kBytes, std::size_t kMost>
[[gnu::always_inline]] inline void combine(const Combination<Number>& combination, std::size_t q, std::size_t width) {
  if (width == kMost) {
    combine<Number, kBytes, kMost>(combination, q);
  } else if constexpr (kMost > 1) {
    combine<Number, kBytes, kMost - 1>(combination, q, width);
  }
}

/// Sums of few vectors would wait for each other: passes over the rows are about equally wide.
template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void combine(const Combination<Number>& combination) {
  constexpr std::size_t kCount = Wide<Number, kBytes>::kCount;
  constexpr std::size_t kMost = 8;
  std::size_t q = 0;
  for (std::size_t left = combination.rows.stride() / kCount; left > 0;) {
    const std::size_t passes = (left + kMost - 1) / kMost;
    const std::size_t width = (left + passes - 1) / passes;
    combine<Number, kBytes, kMost>(combination, q, width);
    left -= width;
    q += width * kCount;
  }
}

/// What an update takes from the ends of exchanges: of as many columns as fit into a vector, or of one row, in every
/// lane.
template <class Number, std::size_t kBytes, bool kBothWays>
struct Ends {
  typename Wide<Number, kBytes>::Vector x, g, y, e;
};

template <class Number, std::size_t kBytes, bool kBothWays>
[[gnu::always_inline]] inline void load(Ends<Number, kBytes, kBothWays>& ends, const ChangeUpdate<Number>& update,
                                        std::size_t j) {
  load(ends.x, update.x + j);
  load(ends.g, update.g + j);
  if constexpr (kBothWays) {
    load(ends.y, update.y + j);
    load(ends.e, update.e + j);
  }
}

template <class Number, std::size_t kBytes, bool kBothWays>
struct Row {
  using Vector = typename Wide<Number, kBytes>::Vector;
  [[gnu::always_inline]] Row(const ChangeUpdate<Number>& update, std::size_t i) : numbers(update.rows[i]) {
    ends.x = Vector{} + update.x[i];
    ends.g = Vector{} + update.g[i];
    if constexpr (kBothWays) {
      ends.y = Vector{} + update.y[i];
      ends.e = Vector{} + update.e[i];
    }
  }
  [[gnu::always_inline]] void change(std::size_t j, const Ends<Number, kBytes, kBothWays>& columns, Vector& values) {
    load(values, numbers + j);
    if constexpr (kBothWays) {
      values += (ends.x - columns.x) * (ends.g - columns.g) + (ends.y - columns.y) * (ends.e - columns.e);
    } else {
      values += (ends.x - columns.x) * (ends.g - columns.g);
    }
    store(values, numbers + j);
  }
  Number* numbers;
  Ends<Number, kBytes, kBothWays> ends;
};

/// Several rows.
template <class Number, std::size_t kBytes, bool kBothWays, std::size_t kRows, std::size_t... k>
[[gnu::always_inline]] inline auto rows_from(const ChangeUpdate<Number>& update, std::size_t first,
                                             std::index_sequence<k...>) {
  return std::array{Row<Number, kBytes, kBothWays>(update, first + k)...};
}

/// Several rows that begin at the same column: what belongs to the columns is loaded once for all of them.
template <class Number, std::size_t kBytes, bool kBothWays, std::size_t kRows>
[[gnu::always_inline]] inline void update_changes(const ChangeUpdate<Number>& update, std::size_t first) {
  using Vector = typename Wide<Number, kBytes>::Vector;
  auto rows = rows_from<Number, kBytes, kBothWays, kRows>(update, first, std::make_index_sequence<kRows>());
  Vector least[kRows];
  for (Vector& of_row : least) of_row = Vector{} + std::numeric_limits<Number>::infinity();
  const std::size_t end = update.rows.end();
  Vector values;
  Ends<Number, kBytes, kBothWays> columns;
  for (std::size_t j = UpperRows<Number>::begin(first); j < end; j += Wide<Number, kBytes>::kCount) {
    load(columns, update, j);
    for (std::size_t k = 0; k < kRows; ++k) {
      rows[k].change(j, columns, values);
      least[k] = values < least[k] ? values : least[k];
    }
  }
  for (std::size_t k = 0; k < kRows; ++k) fold_least<Number, kBytes>(least[k], update.least[first + k]);
}

template <class Number, std::size_t kBytes, bool kBothWays>
[[gnu::always_inline]] inline void update_changes(const ChangeUpdate<Number>& update) {
  std::size_t i = update.first;
  for (; i < update.end && (i + 1) % RowGroup::kRows != 0; ++i) update_changes<Number, kBytes, kBothWays, 1>(update, i);
  for (; i + RowGroup::kRows <= update.end; i += RowGroup::kRows)
    update_changes<Number, kBytes, kBothWays, RowGroup::kRows>(update, i);
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
struct Weighing {
  using Vector = typename Wide<Number, kBytes>::Vector;
  using Mask = typename Wide<Number, kBytes>::Mask;

  [[gnu::always_inline]] explicit Weighing(const WeighedUpdate<Number>& weighed)
      : rate(Vector{} + weighed.rate * ExchangeWeight<Number>::kShift),
        lowest(Vector{} + weighed.lowest),
        highest(Vector{} + weighed.highest) {}
  [[gnu::always_inline]] void add(const Vector& entries, Vector& sum) const {
    Vector exponent = entries * rate;
    exponent = exponent > lowest ? exponent : lowest;
    exponent = exponent < highest ? exponent : highest;
    const Mask bits = __builtin_convertvector(exponent, Mask) + ExchangeWeight<Number>::kBitsOfOne;
    Vector weight;
    std::memcpy(&weight, &bits, sizeof weight);
    sum += weight;
  }
  Vector rate, lowest, highest;
};

/// Of a block of lanes, which takes several vectors where these are short.
template <class Number, std::size_t kBytes>
struct LaneSums {
  static constexpr std::size_t kCount = Wide<Number, kBytes>::kCount;
  static constexpr std::size_t kVectors = kLanes<Number> / kCount;
  [[gnu::always_inline]] void operator+=(const LaneSums& other) {
    for (std::size_t v = 0; v < kVectors; ++v) vector[v] += other.vector[v];
  }
  [[gnu::always_inline]] void store_to(Number* lanes) const {
    for (std::size_t v = 0; v < kVectors; ++v) store(vector[v], lanes + v * kCount);
  }
  typename Wide<Number, kBytes>::Vector vector[kVectors] = {};
};

template <class Number, std::size_t kBytes, bool kBothWays, std::size_t kRows>
[[gnu::always_inline]] inline void update_and_weigh(const ChangeUpdate<Number>& update, std::size_t first,
                                                    const Weighing<Number, kBytes>& weighing,
                                                    LaneSums<Number, kBytes>& sum) {
  using Sums = LaneSums<Number, kBytes>;
  auto rows = rows_from<Number, kBytes, kBothWays, kRows>(update, first, std::make_index_sequence<kRows>());
  Sums of_row[kRows];
  const std::size_t end = update.rows.end();
  typename Wide<Number, kBytes>::Vector values;
  Ends<Number, kBytes, kBothWays> columns;
  for (std::size_t j = UpperRows<Number>::begin(first); j < end; j += kLanes<Number>) {
    for (std::size_t v = 0; v < Sums::kVectors; ++v) {
      const std::size_t column = j + v * Sums::kCount;
      load(columns, update, column);
      for (std::size_t k = 0; k < kRows; ++k) {
        rows[k].change(column, columns, values);
        weighing.add(values, of_row[k].vector[v]);
      }
    }
  }
  for (std::size_t k = 0; k < kRows; ++k) sum += of_row[k];
}

template <class Number, std::size_t kBytes, bool kBothWays>
[[gnu::always_inline]] inline void update_and_weigh(const WeighedUpdate<Number>& weighed) {
  const Weighing<Number, kBytes> weighing(weighed);
  const std::size_t groups = group_count(weighed.update.end);
  LaneSums<Number, kBytes> all;
  for (std::size_t group = 0; group < groups; ++group) {
    const RowGroup rows = row_group(group, weighed.update.end);
    LaneSums<Number, kBytes> sum;
    if (rows.first + RowGroup::kRows == rows.end) {
      update_and_weigh<Number, kBytes, kBothWays, RowGroup::kRows>(weighed.update, rows.first, weighing, sum);
    } else {
      for (std::size_t i = rows.first; i < rows.end; ++i)
        update_and_weigh<Number, kBytes, kBothWays, 1>(weighed.update, i, weighing, sum);
    }
    all += sum;
    sum.store_to(weighed.by_lane[group]);
  }
  all.store_to(weighed.by_lane[groups]);
}

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void update_and_weigh(const WeighedUpdate<Number>& weighed) {
  if (weighed.update.y == nullptr) {
    update_and_weigh<Number, kBytes, false>(weighed);
  } else {
    update_and_weigh<Number, kBytes, true>(weighed);
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

/// The bits of all lanes together, halved again and again; done for several vectors at once.
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

/// 1, 2, 4 and so on.
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

// A function for one instruction set, into which the templates above are inlined: only then do they use it.
#define TOPOWISE_EXCHANGE_KERNELS(SET, NUMBER, BYTES, ...)                                                       \
  __VA_ARGS__ void update_held_##SET(const HeldUpdate<NUMBER>& update) {                                         \
    update_held<NUMBER, BYTES>(update);                                                                          \
  }                                                                                                              \
  __VA_ARGS__ void combine_##SET(const Combination<NUMBER>& combination) {                                       \
    combine<NUMBER, BYTES>(combination);                                                                         \
  }                                                                                                              \
  __VA_ARGS__ void weigh_##SET(const WeighedUpdate<NUMBER>& update) {                                            \
    update_and_weigh<NUMBER, BYTES>(update);                                                                     \
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
      #SET,        update_held_##SET, combine_##SET,    update_changes_##SET,                                    \
      weigh_##SET, least_##SET,       difference_##SET, find_##SET};

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
