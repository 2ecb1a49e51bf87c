// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/weighing_kernels.hpp>

#include <topowise/mapper/exchange/step_columns.hpp>

namespace topowise {
namespace {

template <class Number, std::size_t kBytes>
struct Weighing {
  using Vector = typename Wide<Number, kBytes>::Vector;
  using Mask = typename Wide<Number, kBytes>::Mask;

  [[gnu::always_inline]] explicit Weighing(const WeighedUpdate<Number>& update)
      : rate(Vector{} + update.rate * ExchangeWeight<Number>::kShift),
        highest(Vector{} + update.highest),
        least(Mask{} + ExchangeWeight<Number>::kBitsOfLeast) {}
  /// An exponent too low for a whole number becomes, on every processor, the lowest that there is: the least weight is
  /// sought among bits, where it costs less.
  [[gnu::always_inline]] void add(const Vector& entries, Vector& sum) const {
    Vector exponent = entries * rate;
    exponent = exponent < highest ? exponent : highest;
    Mask bits = __builtin_convertvector(exponent, Mask) + ExchangeWeight<Number>::kBitsOfOne;
    bits = bits > least ? bits : least;
    Vector weight;
    std::memcpy(&weight, &bits, sizeof weight);
    sum += weight;
  }
  Vector rate, highest;
  Mask least;
};

/// One vector of columns of a tile, from top to bottom.
template <class Number, std::size_t kBytes, bool kBothWays>
[[gnu::always_inline]] inline void update_and_weigh(const typename PairTiles<Number>::Tile& tile, std::size_t lane,
                                                    std::size_t pitch, std::size_t rows,
                                                    const ExchangeStep<Number>& step,
                                                    const Weighing<Number, kBytes>& weighing,
                                                    typename Wide<Number, kBytes>::Vector& sum) {
  const StepColumns<Number, kBytes, kBothWays> columns(step, tile.column + lane);
  Number* numbers = tile.numbers + lane;
  const std::size_t first = tile.row;
  typename Wide<Number, kBytes>::Vector entries;
  sum = typename Wide<Number, kBytes>::Vector{};
#pragma GCC unroll 8
  for (std::size_t k = 0; k < rows; ++k) {
    load(entries, numbers + k * pitch);
    columns.add_to(entries, first + k);
    store(entries, numbers + k * pitch);
    weighing.add(entries, sum);
  }
}

template <class Number, std::size_t kBytes, bool kBothWays>
[[gnu::always_inline]] inline void update_and_weigh(const WeighedUpdate<Number>& update) {
  using Vector = typename Wide<Number, kBytes>::Vector;
  using Tile = typename PairTiles<Number>::Tile;
  constexpr std::size_t kSide = PairTiles<Number>::kSide;
  const Weighing<Number, kBytes> weighing(update);
  const std::span<const Tile> tiles = update.table.tiles();
  for (std::size_t lane = 0; lane < kSide; lane += Wide<Number, kBytes>::kCount) {
    Vector all = {};
    Vector sum = {};
    for (std::size_t k = 0; k < tiles.size(); ++k) {
      const Tile& tile = tiles[k];
      if (tile.rows == kSide) {
        update_and_weigh<Number, kBytes, kBothWays>(tile, lane, kSide, kSide, update.step, weighing, sum);
      } else {
        update_and_weigh<Number, kBytes, kBothWays>(tile, lane, tile.pitch, tile.rows, update.step, weighing, sum);
      }
      store(sum, update.by_lane[k] + lane);
      all += sum;
    }
    store(all, update.by_lane[tiles.size()] + lane);
  }
}

template <class Number, std::size_t kBytes>
[[gnu::always_inline]] inline void update_and_weigh(const WeighedUpdate<Number>& update) {
  if (update.step.y == nullptr) {
    update_and_weigh<Number, kBytes, false>(update);
  } else {
    update_and_weigh<Number, kBytes, true>(update);
  }
}

#define TOPOWISE_WEIGHING_KERNELS(NAME, SET, NUMBER, BYTES, ...)       \
  __VA_ARGS__ void weigh_##NAME(const WeighedUpdate<NUMBER>& update) { \
    update_and_weigh<NUMBER, BYTES>(update);                           \
  }                                                                    \
  constexpr WeighingKernels<NUMBER> kKernels_##NAME{InstructionSet::SET, weigh_##NAME};

TOPOWISE_WEIGHING_KERNELS(plain_float, kPlain, float, 16, )
TOPOWISE_WEIGHING_KERNELS(plain_double, kPlain, double, 16, )
TOPOWISE_ON_X86(TOPOWISE_WEIGHING_KERNELS(avx2_float, kAvx2, float, 32, TOPOWISE_AVX2_FMA))
TOPOWISE_ON_X86(TOPOWISE_WEIGHING_KERNELS(avx512_float, kAvx512, float, 64, TOPOWISE_AVX512))
TOPOWISE_ON_X86(TOPOWISE_WEIGHING_KERNELS(avx2_double, kAvx2, double, 32, TOPOWISE_AVX2))

}  // namespace

template <>
std::span<const WeighingKernels<float>> weighing_kernels() {
  static const auto kernels =
      those_that_run({kKernels_plain_float, TOPOWISE_ON_X86(kKernels_avx2_float, kKernels_avx512_float)});
  return kernels;
}

template <>
std::span<const WeighingKernels<double>> weighing_kernels() {
  static const auto kernels = those_that_run({kKernels_plain_double, TOPOWISE_ON_X86(kKernels_avx2_double)});
  return kernels;
}

}  // namespace topowise
