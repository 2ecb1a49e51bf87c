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
  using Words = short_loops::Words<IceLake>;

  TOPOWISE_SET_INLINE static void permute_bytes(const std::int8_t* from, const std::uint8_t* index, std::int8_t* to) {
    const __m512i low = _mm512_load_si512(from);
    const __m512i high = _mm512_load_si512(from + 64);
    _mm512_store_si512(to, _mm512_permutex2var_epi8(low, _mm512_load_si512(index), high));
    _mm512_store_si512(to + 64, _mm512_permutex2var_epi8(low, _mm512_load_si512(index + 64), high));
  }

  TOPOWISE_SET_INLINE static void permute_words(const std::int16_t* from, const std::uint8_t* index, std::size_t count,
                                                std::int16_t* to) {
    const __m512i first = _mm512_load_si512(from);
    const __m512i second = _mm512_load_si512(from + 32);
    const __m512i third = _mm512_load_si512(from + 64);
    const __m512i fourth = _mm512_load_si512(from + 96);
    for (std::size_t k = 0; k < count; k += 32) {
      const __m512i at = _mm512_cvtepu8_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(index + k)));
      const __mmask32 is_high = _mm512_cmpgt_epi16_mask(at, _mm512_set1_epi16(63));
      _mm512_store_si512(to + k, _mm512_mask_blend_epi16(is_high, _mm512_permutex2var_epi16(first, at, second),
                                                         _mm512_permutex2var_epi16(third, at, fourth)));
    }
  }

  template <std::size_t kBlocks>
  TOPOWISE_SET_INLINE static void combine_blocks(const ShortMatrices& matrices, const std::int8_t* flows,
                                                 std::int32_t* sums) {
    __m512i even[kBlocks] = {};
    __m512i odd[kBlocks] = {};
    const std::size_t quads = (matrices.items + 3) / 4;
    for (std::size_t g = 0; g < quads; g += 2) {
      int four[2];
      std::memcpy(four, flows + 4 * g, sizeof four);
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
  TOPOWISE_SET_INLINE static void combine_by_slot(const ShortMatrices& matrices, const std::int8_t* flows,
                                                  std::int32_t* sums) {
    switch ((matrices.items + kShortSide - 1) / kShortSide) {
      case 1:
        return combine_blocks<1>(matrices, flows, sums);
      case 2:
        return combine_blocks<2>(matrices, flows, sums);
      case 3:
        return combine_blocks<3>(matrices, flows, sums);
      case 4:
        return combine_blocks<4>(matrices, flows, sums);
      case 5:
        return combine_blocks<5>(matrices, flows, sums);
      case 6:
        return combine_blocks<6>(matrices, flows, sums);
      case 7:
        return combine_blocks<7>(matrices, flows, sums);
      default:
        return combine_blocks<8>(matrices, flows, sums);
    }
  }

  TOPOWISE_SET_INLINE static Vector scaled_product(Vector a, Vector b) {
    return reinterpret_cast<Vector>(_mm512_mulhrs_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }
  TOPOWISE_SET_INLINE static Vector saturated_sum(Vector a, Vector b) {
    return reinterpret_cast<Vector>(_mm512_adds_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }
  TOPOWISE_SET_INLINE static __m512i weights(__m512i entries) {
    const __m512i octaves = _mm512_srli_epi16(_mm512_max_epi16(entries, _mm512_setzero_si512()), kLogOctave);
    return _mm512_srlv_epi16(_mm512_set1_epi16(1 << kLogWeightOfMost), octaves);
  }
  TOPOWISE_SET_INLINE static void add_weights(Vector entries, Words& sum) {
    sum = reinterpret_cast<Words>(_mm512_dpwssd_epi32(
        reinterpret_cast<__m512i>(sum), weights(reinterpret_cast<__m512i>(entries)), _mm512_set1_epi16(1)));
  }

  TOPOWISE_SET_INLINE static __m512i running_sums(__m512i numbers) {
    const __m512i none = _mm512_setzero_si512();
    numbers = _mm512_add_epi32(numbers, _mm512_alignr_epi32(numbers, none, 15));
    numbers = _mm512_add_epi32(numbers, _mm512_alignr_epi32(numbers, none, 14));
    numbers = _mm512_add_epi32(numbers, _mm512_alignr_epi32(numbers, none, 12));
    return _mm512_add_epi32(numbers, _mm512_alignr_epi32(numbers, none, 8));
  }
  /// The first whose running sum is above `rest`, else 16.
  TOPOWISE_SET_INLINE static std::size_t choose(__m512i weights, std::uint32_t& rest) {
    alignas(64) std::uint32_t before[kShortSide + 1];
    const __m512i sums = running_sums(weights);
    before[kShortSide] = static_cast<std::uint32_t>(_mm_extract_epi32(_mm512_extracti32x4_epi32(sums, 3), 3));
    _mm512_store_si512(before, _mm512_sub_epi32(sums, weights));
    const unsigned above = _mm512_cmpgt_epu32_mask(sums, _mm512_set1_epi32(static_cast<int>(rest)));
    const auto chosen = static_cast<std::size_t>(std::countr_zero(above | 1U << kShortSide));
    rest -= before[chosen];
    return chosen;
  }
  TOPOWISE_SET_INLINE static std::size_t choose_of_lanes(const std::uint32_t* all, std::uint32_t& rest) {
    return std::min(choose(_mm512_load_si512(all), rest), kShortSide - 1);
  }
  TOPOWISE_SET_INLINE static std::size_t choose_of_tiles(const std::uint32_t* sums, std::size_t tiles,
                                                         std::uint32_t& rest) {
    const __m512i index = _mm512_setr_epi32(0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240);
    for (std::size_t tile = 0; tile < tiles; tile += kShortSide) {
      const auto here = static_cast<__mmask16>(tiles - tile >= kShortSide ? 0xffff : (1U << (tiles - tile)) - 1);
      const __m512i weights =
          _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), here, index, sums + tile * kShortSide, 4);
      const std::size_t chosen = choose(weights, rest);
      if (chosen < kShortSide) return tile + chosen;
    }
    return tiles - 1;
  }
  TOPOWISE_SET_INLINE static std::size_t choose_of_rows(const std::int16_t* column, std::uint32_t& rest) {
    const __m256i index = _mm256_setr_epi32(0, 16, 32, 48, 64, 80, 96, 112);
    const __m256i entries = _mm256_i32gather_epi32(reinterpret_cast<const int*>(column), index, 4);
    const __m512i of_rows = weights(_mm512_castsi256_si512(entries));
    return std::min(choose(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(of_rows)), rest), kShortSide - 1);
  }
};

TOPOWISE_SHORT_KERNELS(IceLake, kIceLake, 25e9);

}  // namespace

const ShortKernels kIceLakeShortKernels = kKernels;

}  // namespace topowise

#endif
