// SPDX-License-Identifier: BSD-3-Clause
#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>

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

  TOPOWISE_SET_INLINE static void combine(const ShortMatrices& matrices, const std::int8_t* numbers,
                                          std::int32_t* sums) {
    const __m256i ones = _mm256_set1_epi16(1);
    for (std::size_t q = 0; q < matrices.in_whole_blocks(); q += 8) {
      __m256i sum = _mm256_setzero_si256();
      for (std::size_t g = 0; g < (matrices.facilities + 3) / 4; ++g) {
        int four = 0;
        std::memcpy(&four, numbers + 4 * g, sizeof four);
        const __m256i flows = _mm256_load_si256(reinterpret_cast<const __m256i*>(matrices.quads[g] + q));
        // Of numbers up to 127 the sum of two products fits into 16 bits.
        const __m256i products = _mm256_maddubs_epi16(flows, _mm256_set1_epi32(four));
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
  /// 16 if none are.
  TOPOWISE_SET_INLINE static std::size_t first_equal(Vector a, Vector b) {
    const __m256i equal = _mm256_cmpeq_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b));
    return static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(_mm256_movemask_epi8(equal)))) / 2;
  }
};

TOPOWISE_SHORT_KERNELS(Avx2, kAvx2, 14e9);

}  // namespace

const ShortKernels kAvx2ShortKernels = kKernels;

}  // namespace topowise

#endif
