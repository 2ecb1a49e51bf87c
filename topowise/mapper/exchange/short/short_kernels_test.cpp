// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/short/short_kernels.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <topowise/base/random.hpp>

using namespace topowise;

namespace {

std::int8_t random_byte(int most, Random& random) {
  return static_cast<std::int8_t>(random.below(static_cast<std::uint32_t>(most) + 1));
}

/// Random numbers, some as large as they may be.
ShortMatrices random_matrices(std::size_t ranks, std::size_t items, Random& random) {
  constexpr int kMost = 127;
  ShortMatrices matrices{.ranks = ranks,
                         .items = items,
                         .flows = PaddedRows<std::int8_t>(items, kMostShortItems, 0),
                         .costs = PaddedRows<std::int8_t>(items, kMostShortItems, 0),
                         .quads = PaddedRows<std::uint32_t>((items + 7) / 8 * 2, items, 0),
                         .most_flow = kMost,
                         .most_cost = kMost};
  for (std::size_t i = 0; i < items; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      matrices.flows[i][j] = matrices.flows[j][i] = random.below(5) == 0 ? kMost : random_byte(kMost, random);
      matrices.costs[i][j] = matrices.costs[j][i] = random.below(5) == 0 ? kMost : random_byte(kMost, random);
    }
  }
  for (std::size_t i = 0; i < items; ++i) {
    for (std::size_t j = 0; j < items; ++j)
      matrices.quads[i / 4][j] |= static_cast<std::uint32_t>(matrices.costs[i][j]) << (8 * (i % 4));
  }
  return matrices;
}

ShortPlaces random_places(std::size_t items, Random& random) {
  ShortPlaces places;
  std::iota(places.slot_of_item.begin(), places.slot_of_item.end(), std::uint8_t{0});
  random.shuffle(std::span(places.slot_of_item).first(items));
  for (std::size_t item = 0; item < kMostShortItems; ++item)
    places.item_of_slot[places.slot_of_item[item]] = static_cast<std::uint8_t>(item);
  return places;
}

ShortTiles random_table(std::size_t ranks, std::size_t items, Random& random) {
  ShortTiles table(ranks, items);
  for (std::size_t i = 0; i < ranks; ++i) {
    for (std::size_t j = i + 1; j < items; ++j) {
      const std::uint32_t kind = random.below(20);
      table.at(i, j) = kind == 0   ? kNever
                       : kind == 1 ? std::int16_t{INT16_MIN}
                                   : static_cast<std::int16_t>(static_cast<int>(random.below(9000)) - 500);
    }
  }
  return table;
}

ItemPair random_pair(std::size_t ranks, std::size_t items, Random& random) {
  const std::uint32_t i = random.below(static_cast<std::uint32_t>(std::min(ranks, items - 1)));
  return {i, i + 1 + random.below(static_cast<std::uint32_t>(items - i - 1))};
}

std::vector<std::int16_t> entries(const ShortTiles& table) {
  std::vector<std::int16_t> result;
  for (std::size_t tile = 0; tile < table.tiles(); ++tile)
    result.insert(result.end(), table[tile], table[tile] + ShortTiles::kTile);
  return result;
}

std::vector<std::uint32_t> lanes(const ShortTiles& table, const ShortSums& sums) {
  std::vector<std::uint32_t> result;
  for (std::size_t row = 0; row <= table.tiles(); ++row) result.insert(result.end(), sums[row], sums[row] + kShortSide);
  return result;
}

template <class Number>
bool equal(const ShortRow<Number>& one, const ShortRow<Number>& other, std::size_t count) {
  return std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(count), other.begin());
}

/// One exchange by each, from the same table.
void check_one_exchange(const ShortKernels& plain, const ShortKernels& kernels, std::size_t ranks, std::size_t items,
                        Random& random) {
  const ShortMatrices matrices = random_matrices(ranks, items, random);
  const ShortPlaces places = random_places(items, random);
  const ShortScale scale(matrices.most_flow, matrices.most_cost, 0.05 * random.unit());
  const ItemPair pair = random_pair(ranks, items, random);
  ShortTiles expected = random_table(ranks, items, random);
  ShortTiles table = expected;
  ShortStep expected_step;
  ShortStep step;
  plain.measure(matrices, places, scale, pair, expected_step);
  kernels.measure(matrices, places, scale, pair, step);
  REQUIRE(equal(step.apart, expected_step.apart, items));
  REQUIRE(equal(step.flows, expected_step.flows, items));
  REQUIRE(equal(step.costs, expected_step.costs, items));
  REQUIRE(equal(step.costs_r, expected_step.costs_r, items));
  REQUIRE(equal(step.costs_s, expected_step.costs_s, items));
  plain.move_ends(matrices, places, scale, pair, expected_step, expected);
  kernels.move_ends(matrices, places, scale, pair, step, table);
  ShortSums expected_sums(table.tiles() + 1, kShortSide, 0);
  ShortSums sums = expected_sums;
  const std::uint32_t all = plain.update_and_weigh(expected, expected_step, expected_sums);
  REQUIRE(kernels.update_and_weigh(table, step, sums) == all);
  REQUIRE(entries(table) == entries(expected));
  REQUIRE(lanes(table, sums) == lanes(expected, expected_sums));
  for (int k = 0; k < 50 && all > 0; ++k) {
    const std::uint32_t rest = k == 0 ? 0 : k == 1 ? all - 1 : random.below(all);
    const auto [i, j] = kernels.find(table, sums, rest);
    const auto [expected_i, expected_j] = plain.find(table, sums, rest);
    REQUIRE(i == expected_i);
    REQUIRE(j == expected_j);
    REQUIRE(i < j);
    REQUIRE(j < items);
    REQUIRE(weight_of(table.at(i, j)) > 0);
  }
}

}  // namespace

TEST_CASE("every instruction set makes of a short table what plain loops do") {
  for (const ShortKernels& kernels : short_kernels()) {
    CAPTURE(static_cast<int>(kernels.set));
    Random random(5);
    for (const std::size_t items : {2, 15, 16, 17, 31, 33, 48, 63, 65, 80, 95, 100, 113, 128}) {
      CAPTURE(items);
      for (const std::size_t ranks : {items, items - items / 3}) {
        for (int k = 0; k < 3; ++k) check_one_exchange(short_kernels().front(), kernels, ranks, items, random);
      }
    }
  }
}

TEST_CASE("short tiles hold every pair once, and nothing else is ever drawn") {
  for (const std::size_t items : {1, 15, 16, 17, 32, 50, 128}) {
    for (const std::size_t ranks : {items, items - items / 3}) {
      ShortTiles table(ranks, items);
      std::size_t pairs = 0;
      for (std::size_t i = 0; i < ranks; ++i) {
        for (std::size_t j = i + 1; j < items; ++j) {
          REQUIRE(table.at(i, j) == kNever);
          table.at(i, j) = 0;
          ++pairs;
        }
      }
      for (std::size_t tile = 0; tile < table.tiles(); ++tile) {
        for (std::size_t k = 0; k < ShortTiles::kTile; ++k) {
          const std::int16_t* mask = table.masks()[tile];
          const bool is_pair = mask == nullptr || mask[k] != kNever;
          REQUIRE((table[tile][k] == 0) == is_pair);
          if (is_pair) --pairs;
        }
      }
      CHECK(pairs == 0);
    }
  }
}

TEST_CASE("the weight of an entry halves with every octave, from eight times that of nothing down to none") {
  CHECK(weight_of(kEntryOfNothing) == kWeightOfNothing);
  CHECK(weight_of(kEntryOfNothing + kOctave) == kWeightOfNothing / 2);
  CHECK(weight_of(0) == 8 * kWeightOfNothing);
  CHECK(weight_of(INT16_MIN) == 8 * kWeightOfNothing);
  CHECK(weight_of(14 * kOctave) == 1);
  CHECK(weight_of(15 * kOctave) == 0);
  CHECK(weight_of(kNever) == 0);
}

TEST_CASE("numbers become entries rounded to the nearest, ties to even, and kept within 16 bits") {
  for (const float number : {0.0F, 0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -2.51F, 12345.4F, -12345.6F, 32766.6F})
    CHECK(rounded(number) == std::nearbyint(number));
  const ShortScale scale(9, 9, 1.0);
  CHECK(scale.entry(INT32_MAX) == INT16_MAX);
  CHECK(scale.entry(INT32_MIN) == -INT16_MAX);
  for (const int change : {0, 1, -1, 500, -500, 12345, -12345})
    CHECK(scale.entry(change) == std::nearbyint(static_cast<float>(change) * scale.entries_per_unit()));
}

TEST_CASE("products of a difference of flows and one of costs, both scaled, are changes in entries") {
  Random random(8);
  for (const int most_flow : {1, 9, 99, 127}) {
    for (const int most_cost : {1, 9, 127}) {
      for (const double per_unit : {0.01, 0.3, 1e9}) {
        const ShortScale scale(most_flow, most_cost, per_unit);
        if (per_unit < 1) CHECK(scale.entries_per_unit() == doctest::Approx(per_unit).epsilon(0.2));
        const int flow = 2 * static_cast<int>(random.below(static_cast<std::uint32_t>(most_flow) + 1)) - most_flow;
        for (const int cost : {0, 1, most_cost}) {
          const auto scaled_cost =
              scaled_product(static_cast<std::int16_t>(cost << scale.cost_shift()), scale.cost_factor());
          const auto scaled_flow = static_cast<std::int16_t>(flow * scale.flow_factor());
          const double expected = static_cast<double>(flow) * cost * scale.entries_per_unit();
          const double error = 0.6 + 0.5 * std::abs(scaled_flow) / 32768.0;  // of the product, and of the cost
          CHECK(std::abs(scaled_product(scaled_flow, scaled_cost) - expected) <= error);
        }
      }
    }
  }
}
