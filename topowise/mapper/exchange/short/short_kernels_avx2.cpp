// SPDX-License-Identifier: BSD-3-Clause
#if defined(__x86_64__)

#include <immintrin.h>

#include <topowise/mapper/exchange/short/short_lookups.hpp>
#include <topowise/mapper/exchange/simd.hpp>
#define TOPOWISE_SET TOPOWISE_AVX2
#include <topowise/mapper/exchange/short/short_loops.hpp>
#include <topowise/mapper/exchange/short/short_sets.hpp>

namespace topowise {
namespace {

struct Avx2 : ShortLookups {
  static constexpr std::size_t kBytes = 32;
  using Vector = short_loops::Shorts<Avx2>;
  using Words = short_loops::Words<Avx2>;

  TOPOWISE_SET_INLINE static void combine_by_slot(const ShortMatrices& matrices, const std::int8_t* flows,
                                                  std::int32_t* sums) {
    const __m256i ones = _mm256_set1_epi16(1);
    for (std::size_t q = 0; q < matrices.items; q += 8) {
      __m256i sum = _mm256_setzero_si256();
      for (std::size_t g = 0; g < (matrices.items + 3) / 4; ++g) {
        int four = 0;
        std::memcpy(&four, flows + 4 * g, sizeof four);
        const __m256i costs = _mm256_load_si256(reinterpret_cast<const __m256i*>(matrices.quads[g] + q));
        // Of numbers up to 127 the sum of two products fits into 16 bits.
        const __m256i products = _mm256_maddubs_epi16(costs, _mm256_set1_epi32(four));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(products, ones));
      }
      _mm256_store_si256(reinterpret_cast<__m256i*>(sums + q), sum);
    }
  }

  TOPOWISE_SET_INLINE static Vector scaled_product(Vector a, Vector b) {
    return reinterpret_cast<Vector>(_mm256_mulhrs_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
  }
  TOPOWISE_SET_INLINE static Vector saturated_sum(Vector a, Vector b) {
    return reinterpret_cast<Vector>(_mm256_adds_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
  }
  /// There is no instruction that shifts each of sixteen numbers by its own count: both halves of words are shifted.
  TOPOWISE_SET_INLINE static void add_weights(Vector entries, Words& sum) {
    const __m256i at_least_nothing = _mm256_max_epi16(reinterpret_cast<__m256i>(entries), _mm256_setzero_si256());
    const __m256i octaves = _mm256_srli_epi16(at_least_nothing, kLogOctave);
    const __m256i most = _mm256_set1_epi32(1 << kLogWeightOfMost);
    const __m256i low = _mm256_srlv_epi32(most, _mm256_and_si256(octaves, _mm256_set1_epi32(0xffff)));
    const __m256i high = _mm256_srlv_epi32(most, _mm256_srli_epi32(octaves, 16));
    sum += reinterpret_cast<Words>(_mm256_add_epi32(low, high));
  }
};

TOPOWISE_SHORT_KERNELS(Avx2, kAvx2, 10.5e9);

}  // namespace

const ShortKernels kAvx2ShortKernels = kKernels;

}  // namespace topowise

#endif
