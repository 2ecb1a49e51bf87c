// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/virtual_topology.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <vector>

#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

/// The slow obvious version: by coordinates, cell by cell.
double neighbours(std::span<const int> extents, std::span<const bool> periodic, std::size_t a, std::size_t b) {
  std::vector<int> x(extents.size());
  std::vector<int> y(extents.size());
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    const auto extent = static_cast<std::size_t>(extents[axis]);
    x[axis] = static_cast<int>(a % extent);
    y[axis] = static_cast<int>(b % extent);
    a /= extent;
    b /= extent;
  }
  double count = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    for (const int step : {-1, 1}) {
      std::vector<int> z = x;
      z[axis] += step;
      if (periodic[axis]) z[axis] = (z[axis] + extents[axis]) % extents[axis];
      if (z == y && x != y) count += 1;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("each cell of a grid sends to its neighbours in each dimension") {
  const std::array<std::array<int, 3>, 5> shapes{{{4, 3, 1}, {2, 2, 2}, {3, 3, 3}, {5, 1, 2}, {1, 1, 1}}};
  for (const auto& extents : shapes) {
    for (unsigned mask = 0; mask < 8; ++mask) {
      const std::array<bool, 3> periodic{(mask & 1U) != 0, (mask & 2U) != 0, (mask & 4U) != 0};
      const Traffic traffic = cartesian_traffic(extents, periodic);
      for (std::size_t a = 0; a < traffic.ranks(); ++a) {
        for (std::size_t b = 0; b < traffic.ranks(); ++b)
          CHECK(traffic.bytes(Rank(a), Rank(b)).value() == neighbours(extents, periodic, a, b));
      }
    }
  }
}

TEST_CASE("in a periodic dimension of two cells both neighbours are the same one and count twice") {
  const std::array extents{2};
  const std::array closed{true};
  const Traffic traffic = cartesian_traffic(extents, closed);
  CHECK(traffic.bytes(Rank(0), Rank(1)) == Bytes(2));
  CHECK(traffic.bytes(Rank(1), Rank(0)) == Bytes(2));
  const std::array one{1};
  CHECK(cartesian_traffic(one, closed).entries().empty());
}

TEST_CASE("edges of a graph that are listed several times weigh as much") {
  const std::array index{3, 4, 4};
  const std::array edges{1, 1, 2, 0};
  const Traffic traffic = graph_traffic(index, edges);
  CHECK(traffic.ranks() == 3);
  CHECK(traffic.bytes(Rank(0), Rank(1)) == Bytes(2));
  CHECK(traffic.bytes(Rank(0), Rank(2)) == Bytes(1));
  CHECK(traffic.bytes(Rank(1), Rank(0)) == Bytes(1));
}

TEST_CASE("what contradicts itself is refused") {
  const std::array falling{2, 1};
  const std::array short_index{1, 5};
  const std::array edges{1, 0};
  const std::array outside{1, 7};
  const std::array index{1, 2};
  CHECK_THROWS_WITH_AS((void)graph_traffic(falling, edges), "index[1] is 1: not between 2 and 2", Error);
  CHECK_THROWS_WITH_AS((void)graph_traffic(short_index, edges), "index[1] is 5: not between 1 and 2", Error);
  CHECK_THROWS_WITH_AS((void)graph_traffic(index, outside), "the edge from 1 to 7 leaves the 2 vertices", Error);
  const std::array<WeightedEdge, 1> negative{{{0, 1, -1}}};
  CHECK_THROWS_AS((void)edge_traffic(2, negative), Error);
  const std::array<WeightedEdge, 1> nan{{{0, 1, std::numeric_limits<double>::quiet_NaN()}}};
  CHECK_THROWS_AS((void)edge_traffic(2, nan), Error);
}

TEST_CASE("without weights a grid is taken to cut a cube") {
  const std::array extents{2, 4, 1};
  const std::array open{false, false, true};
  const VertexTraffic graph = cut_of_a_cube(extents, open);
  // A cube of 4 x 4 x 4: a cell has 2 x 1 x 4, so that its faces have 4 points along the first axis and 8 along the
  // second.
  CHECK(graph.likely.bytes(Rank(1), Rank(2)).value() / graph.likely.bytes(Rank(1), Rank(5)).value() == 2);
  REQUIRE(graph.alike);
  CHECK(graph.alike->bytes(Rank(1), Rank(2)) == graph.alike->bytes(Rank(1), Rank(5)));
  const std::array same{3, 1, 3};
  CHECK(!cut_of_a_cube(same, open).alike);
}
