// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/construct/product_tiling.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <tests/fixtures/machines.hpp>

#include <topowise/base/random.hpp>
#include <topowise/mapper/bound/strip_prices.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/instance.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

Strip strip_of(ProductAxis across, ProductAxis along, std::size_t cells) {
  across.stride = 1;
  along.stride = across.size;
  return {.across = across, .along = along, .whole = {}, .cells = cells};
}

double cut(const Strip& strip, const std::vector<std::uint32_t>& group_of) {
  double sum = 0;
  for (std::size_t row = 0; row < strip.rows(); ++row) {
    for (std::size_t column = 0; column < strip.columns(); ++column) {
      const auto differs = [&](std::size_t other_row, std::size_t other_column) {
        return group_of[row * strip.columns() + column] != group_of[other_row * strip.columns() + other_column];
      };
      const std::size_t right = (column + 1) % strip.columns();
      const std::size_t down = (row + 1) % strip.rows();
      if ((right > 0 || strip.across.is_cycle) && differs(row, right)) sum += strip.across.weight;
      if ((down > 0 || strip.along.is_cycle) && differs(down, column)) sum += strip.along.weight;
    }
  }
  return sum;
}

void check_groups(const Strip& strip, const std::vector<std::uint32_t>& group_of) {
  std::vector<std::size_t> held(group_of.size() / strip.cells, 0);
  for (const std::uint32_t group : group_of) ++held.at(group);
  CHECK(std::ranges::all_of(held, [&](std::size_t cells) { return cells == strip.cells; }));
}

}  // namespace

TEST_CASE("strip tiling: groups of equally many cells, never below the bound, whatever the strip") {
  Random random(3);
  int tiled = 0;
  for (int round = 0; round < 60; ++round) {
    const ProductAxis across{
        .size = 3 + random.below(6), .weight = 1.0 + random.below(20), .is_cycle = random.below(3) == 0};
    const ProductAxis along{
        .size = 12 * (1 + random.below(3)), .weight = 1.0 + random.below(20), .is_cycle = random.below(2) == 0};
    const std::size_t cells = 2 + random.below(7);
    const Strip strip = strip_of(across, along, cells);
    if (strip.columns() * strip.rows() % cells != 0 || (across.is_cycle && cells >= across.size)) continue;
    const std::optional<std::vector<std::uint32_t>> groups = tile_strip(strip);
    if (!groups) continue;
    ++tiled;
    check_groups(strip, *groups);
    const Product product{.axes = {strip.across, strip.along}};
    CHECK(cut(strip, *groups) >= strip_cut(product, strip.columns() * strip.rows(), cells) - 1e-6);
  }
  CHECK(tiled > 20);
}

TEST_CASE("strip tiling: bricks that are no boxes meet the bound") {
  const Strip strip = strip_of({.size = 9, .weight = 8}, {.size = 18, .weight = 3, .is_cycle = true}, 9);
  const std::optional<std::vector<std::uint32_t>> groups = tile_strip(strip);
  REQUIRE(groups);
  check_groups(strip, *groups);
  CHECK(cut(strip, *groups) == doctest::Approx(strip_cut({.axes = {strip.across, strip.along}}, 162, 9)));
}

TEST_CASE("strip tiling: pieces that come to an end before the strip does are no tiling, or a shorter loop of one") {
  for (const bool is_cycle : {false, true}) {
    for (const std::size_t columns : {std::size_t{8}, std::size_t{16}}) {
      const Strip strip = strip_of({.size = columns, .weight = 10, .is_cycle = is_cycle},
                                   {.size = 36, .weight = 10, .is_cycle = true}, 9);
      const std::optional<std::vector<std::uint32_t>> groups = tile_strip(strip);
      if (groups) check_groups(strip, *groups);
    }
  }
}

TEST_CASE("strip tiling: a training job whose replicas fit into no box of a rack is proven at once") {
  // 9 stages, 36 replicas, and 4 shards that talk most, on 36 racks of 36 places.
  const MapProblem problem{.traffic = grid({9, 36, 4}, {8, 3, 1000}, false), .topology = tree({36, 36})};
  const MappingResult result = map_ranks(problem, "auto", {.time_limit = Seconds(100), .effort = 1e-3});
  CHECK(result.proven_optimal);
  const std::optional<Mapping> bricks = tile_strips(problem);
  REQUIRE(bricks);
  CHECK(cost_of(problem, *bricks) == result.cost);
  CHECK_FALSE(tile_strips(problem, Deadline(Seconds(0))));  // what a deadline cuts is left out
}

TEST_CASE("strip tiling: there is none for other traffic and on other machines") {
  Random random(1);
  CHECK_FALSE(tile_strips({.traffic = grid({5}, {1}, false), .topology = tree({2, 3})}));
  CHECK_FALSE(tile_strips({.traffic = grid({6}, {1}, false), .topology = ring(6, random)}));
  CHECK_FALSE(tile_strips({.traffic = Traffic::from_entries(6, {}), .topology = tree({2, 3})}));
}
