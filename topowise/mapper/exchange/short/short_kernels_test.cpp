// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/short/short_kernels.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <topowise/base/random.hpp>
#include <topowise/mapper/exchange/short/short_lots.hpp>

using namespace topowise;

namespace {

std::int8_t random_byte(int most, Random& random) {
  return static_cast<std::int8_t>(random.below(static_cast<std::uint32_t>(most) + 1));
}

/// Random numbers, some as large as they may be.
ShortMatrices random_matrices(std::size_t ranks, std::size_t facilities, Random& random) {
  constexpr int kMost = 127;
  ShortMatrices matrices{.ranks = ranks,
                         .facilities = facilities,
                         .flows = PaddedRows<std::int8_t>(facilities, kMostShortItems, 0),
                         .costs = PaddedRows<std::int8_t>(facilities, kMostShortItems, 0),
                         .quads = PaddedRows<std::uint32_t>((facilities + 7) / 8 * 2, facilities, 0),
                         .most_flow = kMost,
                         .most_cost = kMost};
  for (std::size_t i = 0; i < facilities; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      matrices.flows[i][j] = matrices.flows[j][i] = random.below(5) == 0 ? kMost : random_byte(kMost, random);
      matrices.costs[i][j] = matrices.costs[j][i] = random.below(5) == 0 ? kMost : random_byte(kMost, random);
    }
  }
  for (std::size_t i = 0; i < facilities; ++i) {
    for (std::size_t j = 0; j < facilities; ++j)
      matrices.quads[i / 4][j] |= static_cast<std::uint32_t>(matrices.flows[i][j]) << (8 * (i % 4));
  }
  return matrices;
}

ShortPlaces random_places(std::size_t facilities, Random& random) {
  ShortPlaces places;
  std::iota(places.begin(), places.end(), std::uint8_t{0});
  random.shuffle(std::span(places).first(facilities));
  return places;
}

ShortTiles random_table(std::size_t ranks, std::size_t facilities, Random& random) {
  ShortTiles table(ranks, facilities);
  for (std::size_t i = 0; i < ranks; ++i) {
    for (std::size_t j = i + 1; j < facilities; ++j) {
      const std::uint32_t kind = random.below(20);
      table.at(i, j) = kind == 0   ? kNever
                       : kind == 1 ? std::int16_t{INT16_MIN}
                                   : static_cast<std::int16_t>(static_cast<int>(random.below(9000)) - 500);
    }
  }
  return table;
}

FacilityPair random_pair(std::size_t ranks, std::size_t facilities, Random& random) {
  const std::uint32_t i = random.below(static_cast<std::uint32_t>(std::min(ranks, facilities - 1)));
  return {i, i + 1 + random.below(static_cast<std::uint32_t>(facilities - i - 1))};
}

std::vector<std::int16_t> entries(const ShortTiles& table) {
  std::vector<std::int16_t> result;
  for (std::size_t tile = 0; tile < table.tiles(); ++tile)
    result.insert(result.end(), table[tile], table[tile] + ShortTiles::kTile);
  return result;
}

std::vector<std::int16_t> numbers(const ShortLeast& least, std::size_t tiles) {
  return {least[0], least[0] + tiles * kShortGroups};
}

template <class Number>
bool equal(const ShortRow<Number>& one, const ShortRow<Number>& other, std::size_t count) {
  return std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(count), other.begin());
}

/// One exchange by each, from the same table.
void check_one_exchange(const ShortKernels& plain, const ShortKernels& kernels, std::size_t ranks,
                        std::size_t facilities, Random& random) {
  const ShortMatrices matrices = random_matrices(ranks, facilities, random);
  const ShortPlaces places = random_places(facilities, random);
  const ShortScale scale(matrices.most_flow, matrices.most_cost, 0.05 * random.unit());
  const FacilityPair pair = random_pair(ranks, facilities, random);
  ShortTiles expected = random_table(ranks, facilities, random);
  ShortTiles table = expected;
  ShortStep expected_step;
  ShortStep step;
  plain.measure(matrices, places, scale, pair, expected_step);
  kernels.measure(matrices, places, scale, pair, step);
  REQUIRE(step.change == expected_step.change);
  REQUIRE(equal(step.apart, expected_step.apart, facilities));
  REQUIRE(equal(step.flows, expected_step.flows, facilities));
  REQUIRE(equal(step.costs, expected_step.costs, facilities));
  for (int end = 0; end < 2; ++end) REQUIRE(equal(step.more[end], expected_step.more[end], facilities));
  const std::size_t tiles = table.tiles();
  ShortLeast expected_least(tiles, kShortGroups, 0);
  ShortLeast least = expected_least;
  plain.update(expected, expected_step, expected_least);
  kernels.update(table, step, least);
  REQUIRE(entries(table) == entries(expected));
  REQUIRE(numbers(least, tiles) == numbers(expected_least, tiles));
  for (int k = 0; k < 20; ++k) {
    const std::int16_t* lots = ShortLots::all().some(random);
    const ShortFirst first = kernels.first(least, tiles, lots);
    const ShortFirst expected_first = plain.first(least, tiles, lots);
    REQUIRE(first.tile == expected_first.tile);
    REQUIRE(first.group == expected_first.group);
    REQUIRE(first.sum == expected_first.sum);
  }
}

/// What is in the table after a step, entry by entry.
void check_update(const ShortKernels& kernels, std::size_t ranks, std::size_t facilities, Random& random) {
  const ShortMatrices matrices = random_matrices(ranks, facilities, random);
  const ShortScale scale(matrices.most_flow, matrices.most_cost, 0.05 * random.unit());
  ShortTiles table = random_table(ranks, facilities, random);
  const ShortTiles before = table;
  ShortStep step;
  kernels.measure(matrices, random_places(facilities, random), scale, random_pair(ranks, facilities, random), step);
  ShortLeast least(table.tiles(), kShortGroups, 0);
  kernels.update(table, step, least);
  for (std::size_t i = 0; i < ranks; ++i) {
    for (std::size_t j = i + 1; j < facilities; ++j) REQUIRE(table.at(i, j) == step.after(before.at(i, j), i, j));
  }
  std::size_t drawn = 0;
  for (std::size_t tile = 0; tile < table.tiles(); ++tile) {
    for (std::size_t group = 0; group < kShortGroups; ++group) {
      const std::int16_t entry = least[tile][group];
      if (entry >= kFirstNeverDrawn) continue;
      const auto [i, j] = table.find(tile, group, entry);
      REQUIRE(i < j);
      REQUIRE(i < ranks);
      REQUIRE(j < facilities);
      REQUIRE(table.at(i, j) == entry);
      ++drawn;
    }
  }
  CHECK(drawn > 0);
}

}  // namespace

TEST_CASE("every instruction set makes of a short table what plain loops do") {
  for (const ShortKernels& kernels : short_kernels()) {
    CAPTURE(static_cast<int>(kernels.set));
    Random random(5);
    for (const std::size_t facilities : {2, 15, 16, 17, 31, 33, 48, 63, 65, 80, 95, 100, 113, 128}) {
      CAPTURE(facilities);
      for (const std::size_t ranks : {facilities, facilities - facilities / 3}) {
        for (int k = 0; k < 3; ++k) check_one_exchange(short_kernels().front(), kernels, ranks, facilities, random);
        check_update(kernels, ranks, facilities, random);
      }
    }
  }
}

TEST_CASE("short tiles hold every pair once, and nothing else is ever drawn") {
  for (const std::size_t facilities : {1, 15, 16, 17, 32, 50, 128}) {
    for (const std::size_t ranks : {facilities, facilities - facilities / 3}) {
      ShortTiles table(ranks, facilities);
      std::size_t pairs = 0;
      for (std::size_t i = 0; i < ranks; ++i) {
        for (std::size_t j = i + 1; j < facilities; ++j) {
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

TEST_CASE("a power of two, of an entry, is at most six percent too large") {
  for (const int octaves : {-50 * kOctave, -kOctave - 3, -1, 0, 1, 77, kOctave, 30 * kOctave + 64}) {
    const double exact = std::exp2(static_cast<double>(octaves) / kOctave);
    const auto found = static_cast<double>(power_of_two(static_cast<std::int16_t>(octaves)));
    CHECK(found >= exact * (1 - 1e-6));
    CHECK(found <= exact * 1.062);
  }
  CHECK(power_of_two(INT16_MIN) == 0);
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
