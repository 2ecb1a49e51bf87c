// SPDX-License-Identifier: BSD-3-Clause
// Short kernels in plain loops: what the others must give, and what runs where they cannot.
#include <topowise/mapper/exchange/short/short_lookups.hpp>
#define TOPOWISE_SET
#include <topowise/mapper/exchange/short/short_loops.hpp>
#include <topowise/mapper/exchange/short/short_sets.hpp>

namespace topowise {
namespace {

struct Plain : ShortLookups {
  static constexpr std::size_t kBytes = 16;
  static constexpr std::size_t kCount = kBytes / 2;
  using Vector = short_loops::Shorts<Plain>;

  static void combine(const ShortMatrices& matrices, const std::int8_t* numbers, std::int32_t* sums) {
    std::fill_n(sums, matrices.in_whole_blocks(), 0);
    for (std::size_t facility = 0; facility < matrices.facilities; ++facility) {
      const std::int8_t* flows = matrices.flows[facility];
      for (std::size_t i = 0; i < matrices.in_whole_blocks(); ++i) sums[i] += numbers[facility] * flows[i];
    }
  }

  static Vector scaled_product(Vector a, Vector b) {
    Vector result;
    for (std::size_t k = 0; k < kCount; ++k) result[k] = topowise::scaled_product(a[k], b[k]);
    return result;
  }
  static Vector saturated_sum(Vector a, Vector b) {
    Vector result;
    for (std::size_t k = 0; k < kCount; ++k) result[k] = saturated(a[k] + b[k]);
    return result;
  }
  static std::size_t first_equal(Vector a, Vector b) {
    std::size_t k = 0;
    while (k < kCount && a[k] != b[k]) ++k;
    return k;
  }
};

TOPOWISE_SHORT_KERNELS(Plain, kPlain, 1.4e9);

}  // namespace

const ShortKernels kPlainShortKernels = kKernels;

std::span<const ShortKernels> short_kernels() {
  static const auto kernels =
      those_that_run({kPlainShortKernels, TOPOWISE_ON_X86(kAvx2ShortKernels, kIceLakeShortKernels)});
  return kernels;
}

}  // namespace topowise
