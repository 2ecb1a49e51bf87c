// SPDX-License-Identifier: BSD-3-Clause
// Short kernels for AVX-512 with the instructions on bytes that Ice Lake and Zen 4 brought: any permutation of 128
// bytes is two of them, and four products of bytes are added up by one.
#if defined(__x86_64__)

// Of operands that masks make irrelevant GCC 12 says that they are not initialized.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <bit>

#include <topowise/mapper/exchange/simd.hpp>
#define TOPOWISE_SET TOPOWISE_ICE_LAKE
#include <topowise/mapper/exchange/short/short_loops.hpp>
#include <topowise/mapper/exchange/short/short_sets.hpp>

namespace topowise {
namespace {

struct IceLake {
  static constexpr std::size_t kBytes = 64;
  using Vector = short_loops::Shorts<IceLake>;

  TOPOWISE_SET_INLINE static void permute_bytes(const std::int8_t* from, const std::uint8_t* index, std::int8_t* to) {
    const __m512i low = _mm512_load_si512(from);
    const __m512i high = _mm512_load_si512(from + 64);
    _mm512_store_si512(to, _mm512_permutex2var_epi8(low, _mm512_load_si512(index), high));
    _mm512_store_si512(to + 64, _mm512_permutex2var_epi8(low, _mm512_load_si512(index + 64), high));
  }

  template <std::size_t kBlocks>
  TOPOWISE_SET_INLINE static void combine_blocks(const ShortMatrices& matrices, const std::int8_t* numbers,
                                                 std::int32_t* sums) {
    __m512i even[kBlocks] = {};
    __m512i odd[kBlocks] = {};
    const std::size_t quads = (matrices.facilities + 3) / 4;
    for (std::size_t g = 0; g < quads; g += 2) {
      int four[2];
      std::memcpy(four, numbers + 4 * g, sizeof four);
      const __m512i x = _mm512_set1_epi32(four[0]);
      const __m512i y = _mm512_set1_epi32(four[1]);
#pragma GCC unroll 8
      for (std::size_t k = 0; k < kBlocks; ++k) {
        even[k] = _mm512_dpbusd_epi32(even[k], _mm512_load_si512(matrices.quads[g] + 16 * k), x);
        odd[k] = _mm512_dpbusd_epi32(odd[k], _mm512_load_si512(matrices.quads[g + 1] + 16 * k), y);
      }
    }
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kBlocks; ++k) _mm512_store_si512(sums + 16 * k, _mm512_add_epi32(even[k], odd[k]));
  }
  TOPOWISE_SET_INLINE static void combine(const ShortMatrices& matrices, const std::int8_t* numbers,
                                          std::int32_t* sums) {
    switch (matrices.in_whole_blocks() / kShortSide) {
      case 1:
        return combine_blocks<1>(matrices, numbers, sums);
      case 2:
        return combine_blocks<2>(matrices, numbers, sums);
      case 3:
        return combine_blocks<3>(matrices, numbers, sums);
      case 4:
        return combine_blocks<4>(matrices, numbers, sums);
      case 5:
        return combine_blocks<5>(matrices, numbers, sums);
      case 6:
        return combine_blocks<6>(matrices, numbers, sums);
      case 7:
        return combine_blocks<7>(matrices, numbers, sums);
      default:
        return combine_blocks<8>(matrices, numbers, sums);
    }
  }

  TOPOWISE_SET_INLINE static Vector scaled_product(Vector a, Vector b) {
    return reinterpret_cast<Vector>(_mm512_mulhrs_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }
  TOPOWISE_SET_INLINE static Vector saturated_sum(Vector a, Vector b) {
    return reinterpret_cast<Vector>(_mm512_adds_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }
  TOPOWISE_SET_INLINE static std::int16_t least(Vector numbers) {
    const __m512i all = reinterpret_cast<__m512i>(numbers);
    const __m256i half = _mm256_min_epi16(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
    const __m128i quarter = _mm_min_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    // There is an instruction for numbers without signs.
    const __m128i sign = _mm_set1_epi16(INT16_MIN);
    const __m128i lowest = _mm_xor_si128(_mm_minpos_epu16(_mm_xor_si128(quarter, sign)), sign);
    return static_cast<std::int16_t>(_mm_extract_epi16(lowest, 0));
  }
  /// 32 if none are.
  TOPOWISE_SET_INLINE static std::size_t first_equal(Vector a, Vector b) {
    return static_cast<std::size_t>(std::countr_zero(
        _cvtmask32_u32(_mm512_cmpeq_epi16_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)))));
  }
};

TOPOWISE_SHORT_KERNELS(IceLake, kIceLake, 31e9);

}  // namespace

const ShortKernels kIceLakeShortKernels = kKernels;

}  // namespace topowise

#endif
