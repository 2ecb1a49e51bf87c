// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/bound/strip_prices.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include <topowise/base/random.hpp>

using namespace topowise;

namespace {

Product random_product(std::vector<std::size_t> sizes, Random& random) {
  Product product{.axes = {}, .is_whole = true};
  std::size_t stride = 1;
  for (const std::size_t size : sizes) {
    const bool is_cycle = size > 2 && random.below(2) == 0;
    product.axes.push_back({.size = size, .stride = stride, .weight = 1.0 + random.below(9), .is_cycle = is_cycle});
    stride *= size;
  }
  return product;
}

std::size_t ranks_of(const Product& product) {
  return product.axes.back().stride * product.axes.back().size;
}

double cut(const Product& product, const std::vector<int>& group) {
  double sum = 0;
  for (const ProductAxis& axis : product.axes) {
    for (std::size_t rank = 0; rank < group.size(); ++rank) {
      const std::size_t at = rank / axis.stride % axis.size;
      if (at + 1 == axis.size && !axis.is_cycle) continue;
      const std::size_t next = at + 1 == axis.size ? rank - at * axis.stride : rank + axis.stride;
      if (group[rank] != group[next]) sum += axis.weight;
    }
  }
  return sum;
}

/// The oracle: tries all ways to divide the ranks into groups of exactly `size`.
double least_cut(const Product& product, std::size_t size, std::size_t rank, std::vector<int>& group,
                 std::vector<std::size_t>& held) {
  if (rank == group.size()) return cut(product, group);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < held.size(); ++g) {
    if (held[g] == size) continue;
    group[rank] = static_cast<int>(g);
    ++held[g];
    least = std::min(least, least_cut(product, size, rank + 1, group, held));
    --held[g];
    if (held[g] == 0) break;  // empty groups are alike
  }
  return least;
}

double least_cut(const Product& product, std::size_t size) {
  std::vector<int> group(ranks_of(product), -1);
  std::vector<std::size_t> held(group.size() / size, 0);
  return least_cut(product, size, 0, group, held);
}

}  // namespace

TEST_CASE("strip prices: never above the least cut into equal groups, of random small products") {
  Random random(7);
  const std::vector<std::vector<std::size_t>> shapes{{3, 4}, {2, 5}, {5, 2}, {2, 6}, {2, 2, 3}, {3, 2, 2}, {2, 3, 2}};
  int told = 0;
  for (int round = 0; round < 12; ++round) {
    for (const std::vector<std::size_t>& shape : shapes) {
      const Product product = random_product(shape, random);
      for (const std::size_t size : {2U, 3U, 4U, 5U, 6U}) {
        if (ranks_of(product) % size != 0) continue;
        const double bound = strip_cut(product, ranks_of(product), size);
        CHECK(bound <= least_cut(product, size) + 1e-9);
        told += bound > 0;
      }
    }
  }
  CHECK(told > 80);
}

TEST_CASE("strip prices: rows and bricks that fill a strip are proven") {
  Product product{.axes = {{.size = 4, .stride = 1, .weight = 5}, {.size = 6, .stride = 4, .weight = 1}}};
  CHECK(strip_cut(product, 24, 4) == doctest::Approx(5 * 4 * 1));  // six rows
  product = {.axes = {{.size = 9, .stride = 1, .weight = 8}, {.size = 18, .stride = 9, .weight = 3, .is_cycle = true}}};
  // Two bricks with 2, 2, 2, 2, 1 ranks in their columns fill two rows of the strip: each such pair keeps 14 + 8 edges.
  CHECK(strip_cut(product, 162, 9) == doctest::Approx(9 * (8 * 16 + 3 * 18 - 2 * (8 * 7 + 3 * 4))));
}

TEST_CASE("strip prices: ranks of a cell that hold together stay so, and where they do not nothing is said") {
  const auto product = [](double hold) {
    return Product{.axes = {{.size = 2, .stride = 1, .weight = hold},
                            {.size = 2, .stride = 2, .weight = 4},
                            {.size = 6, .stride = 4, .weight = 3}}};
  };
  // Four cells of two ranks make a group: two rows of the strip.
  CHECK(strip_cut(product(100), 24, 8) == doctest::Approx(2 * 2 * 2 * 3));
  // Two groups have four rows of one half each, and the third has the rest: half as many edges of the long axis are
  // cut.
  CHECK(strip_cut(product(1e-3), 24, 8) <= 2 * 2 * 3 + 8 * 1e-3 + 1e-9);
}
