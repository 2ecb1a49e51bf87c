// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/ends_kernels.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace topowise {
namespace {

/// How many columns of sums a pass over the rows of a matrix makes, in vectors. Passes are about equally wide, because
/// the sums of few columns would wait for each other.
struct Pass {
  static constexpr std::size_t kMost = 8;
  explicit Pass(std::size_t left) {
    const std::size_t passes = (left + kMost - 1) / kMost;
    width = (left + passes - 1) / passes;
  }
  std::size_t width;
};

template <std::size_t kBytes, std::size_t kVectors>
[[gnu::always_inline]] inline void combine(const Combination<double>& combination, std::size_t q) {
  using Vector = typename Wide<double, kBytes>::Vector;
  constexpr std::size_t kCount = Wide<double, kBytes>::kCount;
  Vector sum[kVectors];
  Vector way;
  for (std::size_t v = 0; v < kVectors; ++v) load(sum[v], combination.sum + q + v * kCount);
  for (std::size_t k = 0; k < combination.x.size(); ++k) {
    const double* row = combination.cells[k] + q;
    for (std::size_t v = 0; v < kVectors; ++v) {
      load(way, row + v * kCount);
      sum[v] += combination.x[k] * way;
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) store(sum[v], combination.sum + q + v * kCount);
}

/// The same for pairs of rows. Plain vectors have no product of pairs, so both halves are multiplied on their own.
template <std::size_t kBytes, std::size_t kVectors>
[[gnu::always_inline]] inline void combine(const Combination<float>& combination, std::size_t q) {
  using Vector = typename Wide<float, kBytes>::Vector;
  using Whole = typename Wide<float, kBytes>::Mask;
  constexpr std::size_t kCount = Wide<float, kBytes>::kCount;
  Whole sum[kVectors] = {};
  Whole pairs;
  for (std::size_t k = 0; k < combination.x.size(); ++k) {
    const RowPair* row = combination.cells[k] + q;
    const std::int32_t even = half_of(combination.x[k], 0);
    const std::int32_t odd = half_of(combination.x[k], 1);
    for (std::size_t v = 0; v < kVectors; ++v) {
      load(pairs, row + v * kCount);
      sum[v] += even * ((pairs << 16) >> 16) + odd * (pairs >> 16);
    }
  }
  Vector before;
  for (std::size_t v = 0; v < kVectors; ++v) {
    load(before, combination.sum + q + v * kCount);
    before += __builtin_convertvector(sum[v], Vector);
    store(before, combination.sum + q + v * kCount);
  }
}

/// `width` vectors side by side, at most kMost.
template <class Number, std::size_t kBytes, std::size_t kMost>
[[gnu::always_inline]] inline void combine(const Combination<Number>& combination, std::size_t q, std::size_t width) {
  if (width == kMost) {
    combine<kBytes, kMost>(combination, q);
  } else if constexpr (kMost > 1) {
    combine<Number, kBytes, kMost - 1>(combination, q, width);
  }
}

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void combine(const Combination<Number>& combination) {
  constexpr std::size_t kCount = Wide<Number, kBytes>::kCount;
  const std::size_t vectors = combination.cells.stride() / kCount;
  for (std::size_t done = 0; done < vectors;) {
    const Pass pass(vectors - done);
    combine<Number, kBytes, Pass::kMost>(combination, done * kCount, pass.width);
    done += pass.width;
  }
}

/// Two rows of numbers, read and swapped.
template <class Number, std::size_t kBytes>
struct RowsToSwap {
  using Vector = typename Wide<Number, kBytes>::Vector;
  [[gnu::always_inline]] explicit RowsToSwap(const EndRows<Number>& ends) : rows(ends) {}
  [[gnu::always_inline]] void swap(std::size_t q, Vector& of_r, Vector& of_s) const {
    load(of_r, rows.of_r + q);
    load(of_s, rows.of_s + q);
    store(of_s, rows.of_r + q);
    store(of_r, rows.of_s + q);
  }
  const EndRows<Number>& rows;
};

/// Two halves of rows of pairs; both may be in the same row.
template <std::size_t kBytes>
struct RowsToSwap<float, kBytes> {
  using Vector = typename Wide<float, kBytes>::Vector;
  using Whole = typename Wide<float, kBytes>::Mask;
  [[gnu::always_inline]] explicit RowsToSwap(const EndRows<float>& ends)
      : rows(ends),
        shift_r(ends.r % 2 == 0 ? 0 : 16),
        shift_s(ends.s % 2 == 0 ? 0 : 16),
        same(Whole{} - (ends.of_r == ends.of_s ? 1 : 0)) {}
  [[gnu::always_inline]] void swap(std::size_t q, Vector& of_r, Vector& of_s) const {
    Whole pairs_r, pairs_s;
    load(pairs_r, rows.of_r + q);
    load(pairs_s, rows.of_s + q);
    const Whole half_r = (pairs_r << (16 - shift_r)) >> 16;
    const Whole half_s = (pairs_s << (16 - shift_s)) >> 16;
    of_r = __builtin_convertvector(half_r, Vector);
    of_s = __builtin_convertvector(half_s, Vector);
    pairs_r = (pairs_r & (0xffff << (16 - shift_r))) | ((half_s & 0xffff) << shift_r);
    pairs_s = (pairs_r & same) | (pairs_s & ~same);
    pairs_s = (pairs_s & (0xffff << (16 - shift_s))) | ((half_r & 0xffff) << shift_s);
    store(pairs_r, rows.of_r + q);
    store(pairs_s, rows.of_s + q);
  }
  const EndRows<float>& rows;
  int shift_r, shift_s;  ///< bits by which the half is shifted up
  Whole same;            ///< all bits where r and s are in one row of pairs
};

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void update_symmetric_ends(const EndsUpdate<Number>& update) {
  using Vector = typename Wide<Number, kBytes>::Vector;
  const RowsToSwap<Number, kBytes> rows(update.from);
  const std::size_t r = update.from.r;
  const std::size_t s = update.from.s;
  const Number far = update.cost_rs;
  const Number offset_r = -(update.apart[s] + update.flow_sr * far);
  const Number offset_s = update.apart[r] - update.flow_sr * far;
  const Number x_r = update.x[r];
  const Number x_s = update.x[s];
  Vector of_r, of_s, a, x, changes_r, changes_s;
  for (std::size_t q = 0; q < update.length; q += Wide<Number, kBytes>::kCount) {
    rows.swap(q, of_r, of_s);
    load(a, update.apart + q);
    load(x, update.x + q);
    load(changes_r, update.changes_r + q);
    load(changes_s, update.changes_s + q);
    const Vector d = of_r - of_s;
    const Vector moved = (a + update.flow_sr * d) + x * ((of_r + of_s) - far);
    changes_r += (offset_r + moved) - (x - x_r) * (d - far);
    changes_s += (offset_s - moved) - (x - x_s) * (d + far);
    store(d, update.d + q);
    store(changes_r, update.changes_r + q);
    store(changes_s, update.changes_s + q);
  }
}

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void update_both_ends(const EndsUpdate<Number>& update) {
  using Vector = typename Wide<Number, kBytes>::Vector;
  const RowsToSwap<Number, kBytes> from(update.from);
  const RowsToSwap<Number, kBytes> to(update.to);
  const std::size_t r = update.from.r;
  const std::size_t s = update.from.s;
  const Number there = update.cost_rs;
  const Number back = update.cost_sr;
  const Number offset_r = -(update.apart[s] + (update.flow_sr * there + update.flow_rs * back));
  const Number offset_s = update.apart[r] - (update.flow_rs * back + update.flow_sr * there);
  const Number x_r = update.x[r];
  const Number x_s = update.x[s];
  const Number y_r = update.y[r];
  const Number y_s = update.y[s];
  Vector from_r, from_s, to_r, to_s, apart, x, y, changes_r, changes_s;
  for (std::size_t q = 0; q < update.length; q += Wide<Number, kBytes>::kCount) {
    from.swap(q, from_r, from_s);
    to.swap(q, to_r, to_s);
    load(apart, update.apart + q);
    load(x, update.x + q);
    load(y, update.y + q);
    load(changes_r, update.changes_r + q);
    load(changes_s, update.changes_s + q);
    const Vector d = from_r - from_s;
    const Vector e = to_r - to_s;
    const Vector b = (from_r + to_s) - there;
    const Vector c = (to_r + from_s) - back;
    const Vector gained_r = (apart + (update.flow_sr * d + update.flow_rs * e)) + (x * b + y * c);
    const Vector gained_s = -(apart + (update.flow_rs * d + update.flow_sr * e)) - (x * c + y * b);
    changes_r += (offset_r + gained_r) - ((x - x_r) * (d - there) + (y - y_r) * (e - back));
    changes_s += (offset_s + gained_s) - ((x - x_s) * (d + back) + (y - y_s) * (e + there));
    store(d, update.d + q);
    store(e, update.e + q);
    store(changes_r, update.changes_r + q);
    store(changes_s, update.changes_s + q);
  }
}

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void update_ends(const EndsUpdate<Number>& update) {
  if (update.y == nullptr) {
    update_symmetric_ends<Number, kBytes>(update);
  } else {
    update_both_ends<Number, kBytes>(update);
  }
}

#define TOPOWISE_ENDS_KERNELS(NAME, SET, NUMBER, BYTES, COMBINE, ...) \
  __VA_ARGS__ void ends_##NAME(const EndsUpdate<NUMBER>& update) {    \
    update_ends<NUMBER, BYTES>(update);                               \
  }                                                                   \
  constexpr EndsKernels<NUMBER> kKernels_##NAME{InstructionSet::SET, COMBINE, ends_##NAME};
#define TOPOWISE_COMBINE(NAME, NUMBER, BYTES, ...)                          \
  __VA_ARGS__ void combine_##NAME(const Combination<NUMBER>& combination) { \
    combine<NUMBER, BYTES>(combination);                                    \
  }

#if defined(__x86_64__)

// The product of pairs has no name in the compiler's vector types. Of the two functions of each set the first makes
// sums of kVectors vectors of columns from q on.
template <std::size_t kVectors>
TOPOWISE_AVX2_FMA void combine_pairs_avx2(const Combination<float>& combination, std::size_t q) {
  __m256i sum[kVectors] = {};
  for (std::size_t k = 0; k < combination.x.size(); ++k) {
    const __m256i x = _mm256_set1_epi32(static_cast<int>(combination.x[k]));
    const auto* row = reinterpret_cast<const __m256i*>(combination.cells[k] + q);
    for (std::size_t v = 0; v < kVectors; ++v)
      sum[v] = _mm256_add_epi32(sum[v], _mm256_madd_epi16(x, _mm256_load_si256(row + v)));
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    float* result = combination.sum + q + 8 * v;
    _mm256_store_ps(result, _mm256_add_ps(_mm256_load_ps(result), _mm256_cvtepi32_ps(sum[v])));
  }
}

template <std::size_t kVectors>
TOPOWISE_AVX512 void combine_pairs_avx512(const Combination<float>& combination, std::size_t q) {
  __m512i sum[kVectors] = {};
  for (std::size_t k = 0; k < combination.x.size(); ++k) {
    const __m512i x = _mm512_set1_epi32(static_cast<int>(combination.x[k]));
    const RowPair* row = combination.cells[k] + q;
    for (std::size_t v = 0; v < kVectors; ++v)
      sum[v] = _mm512_add_epi32(sum[v], _mm512_madd_epi16(x, _mm512_load_si512(row + 16 * v)));
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    float* result = combination.sum + q + 16 * v;
    const __m512 added = _mm512_maskz_cvtepi32_ps(0xffff, sum[v]);  // GCC 12 warns of the one without a mask
    _mm512_store_ps(result, _mm512_add_ps(_mm512_load_ps(result), added));
  }
}

using CombinePairs = void (*)(const Combination<float>&, std::size_t);

/// The functions by the width of a pass.
constexpr CombinePairs kCombineAvx2[Pass::kMost] = {combine_pairs_avx2<1>, combine_pairs_avx2<2>, combine_pairs_avx2<3>,
                                                    combine_pairs_avx2<4>, combine_pairs_avx2<5>, combine_pairs_avx2<6>,
                                                    combine_pairs_avx2<7>, combine_pairs_avx2<8>};
constexpr CombinePairs kCombineAvx512[Pass::kMost] = {
    combine_pairs_avx512<1>, combine_pairs_avx512<2>, combine_pairs_avx512<3>, combine_pairs_avx512<4>,
    combine_pairs_avx512<5>, combine_pairs_avx512<6>, combine_pairs_avx512<7>, combine_pairs_avx512<8>};

template <std::size_t kCount, const CombinePairs (&kByWidth)[Pass::kMost]>
void combine_pairs(const Combination<float>& combination) {
  const std::size_t vectors = combination.cells.stride() / kCount;
  for (std::size_t done = 0; done < vectors;) {
    const Pass pass(vectors - done);
    kByWidth[pass.width - 1](combination, done * kCount);
    done += pass.width;
  }
}

constexpr auto kCombinePairsAvx2 = combine_pairs<8, kCombineAvx2>;
constexpr auto kCombinePairsAvx512 = combine_pairs<16, kCombineAvx512>;

#endif

TOPOWISE_COMBINE(plain_float, float, 16, )
TOPOWISE_COMBINE(plain_double, double, 16, )
TOPOWISE_ON_X86(TOPOWISE_COMBINE(avx2_double, double, 32, TOPOWISE_AVX2))

TOPOWISE_ENDS_KERNELS(plain_float, kPlain, float, 16, combine_plain_float, )
TOPOWISE_ENDS_KERNELS(plain_double, kPlain, double, 16, combine_plain_double, )
TOPOWISE_ON_X86(TOPOWISE_ENDS_KERNELS(avx2_float, kAvx2, float, 32, kCombinePairsAvx2, TOPOWISE_AVX2_FMA))
TOPOWISE_ON_X86(TOPOWISE_ENDS_KERNELS(avx512_float, kAvx512, float, 64, kCombinePairsAvx512, TOPOWISE_AVX512))
TOPOWISE_ON_X86(TOPOWISE_ENDS_KERNELS(avx2_double, kAvx2, double, 32, combine_avx2_double, TOPOWISE_AVX2))

}  // namespace

template <>
std::span<const EndsKernels<float>> ends_kernels() {
  static const auto kernels =
      those_that_run({kKernels_plain_float, TOPOWISE_ON_X86(kKernels_avx2_float, kKernels_avx512_float)});
  return kernels;
}

template <>
std::span<const EndsKernels<double>> ends_kernels() {
  static const auto kernels = those_that_run({kKernels_plain_double, TOPOWISE_ON_X86(kKernels_avx2_double)});
  return kernels;
}

}  // namespace topowise
