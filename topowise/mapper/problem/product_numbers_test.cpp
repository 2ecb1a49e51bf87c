// SPDX-License-Identifier: BSD-3-Clause

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include <tests/fixtures/machines.hpp>

#include <topowise/mapper/construct/product_tiling.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/product.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

Traffic shuffled(const Traffic& traffic, Random& random) {
  std::vector<std::size_t> name(traffic.ranks());
  std::iota(name.begin(), name.end(), std::size_t{0});
  random.shuffle(std::span(name));
  std::vector<TrafficEntry> entries(traffic.entries().begin(), traffic.entries().end());
  for (TrafficEntry& entry : entries) {
    entry.source = Rank(name[entry.source.index()]);
    entry.destination = Rank(name[entry.destination.index()]);
  }
  return Traffic::from_entries(traffic.ranks(), std::move(entries));
}

/// The sizes of the axes with their weights, the smallest first; a cycle of four counts as two axes of size 2.
std::vector<std::pair<std::size_t, double>> axes_of(const Product& product) {
  std::vector<std::pair<std::size_t, double>> axes;
  for (const ProductAxis& axis : product.axes) {
    const bool is_square = axis.is_cycle && axis.size == 4;
    axes.emplace_back(is_square ? 2 : axis.size, axis.weight);
    if (is_square) axes.emplace_back(2, axis.weight);
  }
  std::ranges::sort(axes);
  return axes;
}

struct Shape {
  std::vector<int> extents;
  std::vector<double> weight;
  bool is_torus;
};

const std::vector<Shape> kShapes{{{7}, {1}, false},
                                 {{9}, {1}, true},
                                 {{8, 8}, {1, 1}, false},
                                 {{8, 8}, {2, 1}, true},
                                 {{4, 4, 4}, {1, 1, 1}, true},
                                 {{3, 5, 4}, {1, 2, 3}, true},
                                 {{2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1}, false},
                                 {{2, 2, 2, 2}, {1, 3, 1, 9}, false},
                                 {{2, 9}, {1, 1}, true},
                                 {{6, 3, 2, 4}, {5, 1, 1, 7}, false}};

}  // namespace

TEST_CASE("products in another order: grids, tori and hypercubes are found, with what goes along each axis") {
  Random random(71);
  for (const Shape& shape : kShapes) {
    const Traffic in_order = grid(shape.extents, shape.weight, shape.is_torus);
    const std::optional<Product> expected = find_product(in_order);
    REQUIRE(expected);
    for (int round = 0; round < 5; ++round) {
      CAPTURE(in_order.ranks());
      const std::optional<Product> found = find_product(shuffled(in_order, random));
      REQUIRE(found);
      CHECK(found->is_whole);
      CHECK(axes_of(*found) == axes_of(*expected));
    }
  }
}

TEST_CASE("products in another order: what is lighter than the axes, as diagonals are, does not hide them") {
  Random random(72);
  std::vector<TrafficEntry> entries;
  const Traffic axes = grid({6, 5}, {10, 10}, false);
  entries.assign(axes.entries().begin(), axes.entries().end());
  for (std::size_t rank = 0; rank < 24; ++rank)
    if (rank % 5 < 4) entries.push_back({Rank(rank), Rank(rank + 6), Bytes(3), 1});
  const std::optional<Product> found = find_product(shuffled(Traffic::from_entries(30, entries), random));
  REQUIRE(found);
  CHECK_FALSE(found->is_whole);
  CHECK(axes_of(*found) == std::vector<std::pair<std::size_t, double>>{{5, 20.0}, {6, 20.0}});
}

TEST_CASE("products in another order: there are none in other traffic") {
  Random random(73);
  CHECK_FALSE(number_as_product(Traffic::from_entries(4, {})));
  for (int round = 0; round < 200; ++round) {
    const Traffic traffic = random_traffic(3 + random.below(10), 0.1 + 0.4 * random.unit(), random);
    const std::optional<ProductNumbers> product = number_as_product(traffic);
    if (!product) continue;  // for example a path of three
    std::size_t all = 1;
    for (const std::size_t size : product->sizes) all *= size;
    CHECK(all == traffic.ranks());
    std::vector<std::uint32_t> numbers = product->number;
    std::ranges::sort(numbers);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) CHECK(numbers[i] == i);
  }
  // A grid with one edge missing, and two separate grids.
  std::vector<TrafficEntry> entries;
  const Traffic whole = grid({4, 4}, {1, 1}, false);
  for (const TrafficEntry& entry : whole.entries())
    if (entry.source.index() + entry.destination.index() != 5 + 6) entries.push_back(entry);
  CHECK_FALSE(find_product(shuffled(Traffic::from_entries(16, entries), random)));
  entries.assign(whole.entries().begin(), whole.entries().end());
  for (const TrafficEntry& entry : whole.entries())
    entries.push_back({Rank(entry.source.index() + 16), Rank(entry.destination.index() + 16), entry.bytes, 1});
  CHECK_FALSE(number_as_product(shuffled(Traffic::from_entries(32, entries), random)));
}

TEST_CASE("products in another order are mapped by their boxes, and proven, as those in order are") {
  Random random(74);
  struct Case {
    Traffic traffic;
    std::vector<int> arities;
  };
  const std::vector<Case> cases{{grid({8, 8}, {1, 1}, true), {4, 4, 4}},
                                {grid({4, 4, 4}, {1, 1, 1}, true), {4, 16}},
                                {grid({16, 4}, {3, 1}, false), {2, 4, 8}},
                                {grid({2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1}, false), {8, 8}}};
  for (const Case& each : cases) {
    CAPTURE(each.arities.front());
    const MapProblem in_order{.traffic = each.traffic, .topology = tree(each.arities)};
    const MapProblem mixed{.traffic = shuffled(each.traffic, random), .topology = tree(each.arities)};
    const std::optional<Mapping> boxes = tile_boxes(mixed);
    REQUIRE(boxes);
    for (const std::int64_t left : capacity_left(mixed, *boxes)) CHECK(left == 0);
    CHECK(cost_of(mixed, *boxes) == cost_of(in_order, *tile_boxes(in_order)));
    const MappingResult result = map_ranks(mixed, "auto", {.time_limit = Seconds(100), .effort = 1e-3});
    CHECK(result.proven_optimal);
    CHECK(result.cost == cost_of(mixed, *boxes));
  }
}
