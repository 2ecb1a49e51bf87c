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
  using Words = short_loops::Words<Plain>;

  static void combine_by_slot(const ShortMatrices& matrices, const std::int8_t* flows, std::int32_t* sums) {
    std::fill_n(sums, matrices.items, 0);
    for (std::size_t slot = 0; slot < matrices.items; ++slot) {
      const std::int8_t* costs = matrices.costs[slot];
      for (std::size_t q = 0; q < matrices.items; ++q) sums[q] += flows[slot] * costs[q];
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
  static void add_weights(Vector entries, Words& sum) {
    for (std::size_t k = 0; k < kCount; ++k) sum[k / 2] += weight_of(entries[k]);
  }
};

TOPOWISE_SHORT_KERNELS(Plain, kPlain, 1.1e9);

}  // namespace

const ShortKernels kPlainShortKernels = kKernels;

std::span<const ShortKernels> short_kernels() {
  static const auto kernels =
      those_that_run({kPlainShortKernels, TOPOWISE_ON_X86(kAvx2ShortKernels, kIceLakeShortKernels)});
  return kernels;
}

}  // namespace topowise
