// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/weighing_kernels.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <topowise/mapper/exchange/test_rows.hpp>

using namespace topowise;

namespace {

template <class Number>
void check_weights(const WeighingKernels<Number>& kernels, std::size_t ranks, std::size_t facilities, bool both_ways,
                   Random& random) {
  constexpr Number kRate = Number(-0.37);
  const PaddedRows<Number> ends = random_rows<Number>(4, facilities, random);
  const ExchangeStep<Number> step{ends[0], ends[1], both_ways ? ends[2] : nullptr, ends[3]};
  PairTiles<Number> table(ranks, facilities);
  PairTiles<Number> changed(ranks, facilities);
  for (std::size_t i = 0; i < ranks; ++i) {
    for (std::size_t j = i + 1; j < facilities; ++j) {
      if (j % 5 == 1) continue;
      table.at(i, j) = Number(20) * random_number<Number>(random);
      changed.at(i, j) = table.at(i, j) + step(i, j);
    }
  }
  const auto tiles = changed.tiles();
  PaddedRows<Number> expected(tiles.size() + 1, kLanes<Number>, Number(0));
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    for (std::size_t lane = 0; lane < kLanes<Number>; ++lane) {
      for (std::size_t row = 0; row < tiles[k].rows; ++row)
        expected[k][lane] += ExchangeWeight<Number>::of(tiles[k].numbers[row * tiles[k].pitch + lane], kRate);
      expected[tiles.size()][lane] += expected[k][lane];
    }
  }
  PaddedRows<Number> by_lane(tiles.size() + 1, kLanes<Number>, Number(-1));
  kernels.update_and_weigh({.table = table, .step = step, .rate = kRate, .by_lane = by_lane});
  for (std::size_t i = 0; i < ranks; ++i) {
    for (std::size_t j = i + 1; j < facilities; ++j) REQUIRE(table.at(i, j) == changed.at(i, j));
  }
  for (std::size_t k = 0; k <= tiles.size(); ++k)
    REQUIRE(std::equal(by_lane[k], by_lane[k] + kLanes<Number>, expected[k]));
}

template <class Number>
void check_all() {
  for (const WeighingKernels<Number>& kernels : weighing_kernels<Number>()) {
    CAPTURE(static_cast<int>(kernels.set));
    Random random(5);
    for (const std::size_t facilities : {2, 15, 16, 17, 40, 100}) {
      CAPTURE(facilities);
      for (const std::size_t ranks : {facilities, facilities - facilities / 3}) {
        for (const bool both_ways : {false, true}) check_weights(kernels, ranks, facilities, both_ways, random);
      }
    }
  }
}

}  // namespace

TEST_CASE("every instruction set weighs as plain loops do, to the last bit") {
  check_all<float>();
  check_all<double>();
}

TEST_CASE("tiles hold every pair once") {
  for (const std::size_t facilities : {1, 15, 16, 17, 32, 50}) {
    for (const std::size_t ranks : {facilities, facilities - facilities / 3}) {
      PairTiles<float> tiles(ranks, facilities);
      float next = 0;
      for (std::size_t i = 0; i < ranks; ++i) {
        for (std::size_t j = i + 1; j < facilities; ++j) tiles.at(i, j) = ++next;
      }
      std::size_t finite = 0;
      for (const auto& tile : tiles.tiles()) {
        for (std::size_t row = 0; row < tile.rows; ++row) {
          for (std::size_t lane = 0; lane < PairTiles<float>::kSide; ++lane) {
            const float entry = tile.numbers[row * tile.pitch + lane];
            if (!std::isfinite(entry)) continue;
            ++finite;
            const auto [i, j] = std::minmax({tile.row + row, tile.column + lane});
            REQUIRE(tiles.at(i, j) == entry);
          }
        }
      }
      CHECK(finite == static_cast<std::size_t>(next));
    }
  }
}

TEST_CASE("the weight of an exchange is a power of two, at most 6.2 % too much") {
  for (const double entry : {-1.5, -0.7, 0.0, 0.25, 0.5, 1.0, 1.75, 3.3, 7.0, 31.9}) {
    const double exact = std::pow(2.0, -1.5 * entry);
    for (const double weight : {ExchangeWeight<double>::of(entry, -1.5),
                                static_cast<double>(ExchangeWeight<float>::of(static_cast<float>(entry), -1.5F))}) {
      CHECK(weight >= 0.99999 * exact);
      CHECK(weight <= 1.062 * exact);
    }
  }
  CHECK(ExchangeWeight<float>::of(-9.0F, -1.0F) == 8.0F);
  CHECK(ExchangeWeight<float>::of(std::numeric_limits<float>::infinity(), -1.0F) < 1e-30F);
  CHECK(ExchangeWeight<double>::of(1e300, -1.0) < 1e-30);
}
