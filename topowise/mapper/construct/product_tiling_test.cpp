// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/construct/product_tiling.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <tests/fixtures/machines.hpp>

#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/instance.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

MappingResult by_auto(const MapProblem& problem) {
  return map_ranks(problem, "auto", {.time_limit = Seconds(100), .effort = 1e-3});
}

}  // namespace

TEST_CASE("boxes: structured traffic beyond what a search can prove is mapped and proven by its boxes") {
  const std::vector<Traffic> structured{grid({8, 4}, {3, 1}, false), grid({4, 4, 2}, {1, 1, 1}, true),
                                        grid({2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}, false)};
  for (const Traffic& traffic : structured) {
    const MapProblem problem{.traffic = traffic, .topology = tree({2, 2, 2, 2, 2})};
    const MappingResult result = by_auto(problem);
    CHECK(result.proven_optimal);
    const std::optional<Mapping> boxes = tile_boxes(problem);
    REQUIRE(boxes);
    CHECK(cost_of(problem, *boxes) == result.cost);
  }
}

TEST_CASE("boxes: a training job on racks, whose optimum is proven") {
  // 4 stages, 36 replicas, and 8 shards that talk most, on 16 racks of 18 trays of 4 places: a replica fills two trays.
  const MapProblem problem{.traffic = grid({4, 36, 8}, {1, 10, 1000}, true), .topology = tree({16, 18, 4})};
  const MappingResult result = by_auto(problem);
  CHECK(result.proven_optimal);
  const std::optional<Mapping> boxes = tile_boxes(problem);
  REQUIRE(boxes);
  CHECK(cost_of(problem, *boxes) == doctest::Approx(result.cost));
}

TEST_CASE("boxes: all-to-alls among experts stay whole, beside their stages") {
  // Two stages of eight replicas: all-to-alls among four of them, a ring through all eight, and much between stages.
  std::vector<TrafficEntry> entries;
  for (std::size_t rank = 0; rank < 16; ++rank) {
    const std::size_t at = rank % 8;
    entries.push_back({Rank(rank), Rank(rank - at + (at + 1) % 8), Bytes(1), 1});
    for (std::size_t e = at / 4 * 4; e < at / 4 * 4 + 4; ++e)
      if (e != at) entries.push_back({Rank(rank), Rank(rank - at + e), Bytes(3), 1});
    if (rank < 8) entries.push_back({Rank(rank), Rank(rank + 8), Bytes(9), 1});
  }
  const MapProblem problem{.traffic = Traffic::from_entries(16, entries), .topology = tree({2, 2, 4})};
  const MappingResult result = by_auto(problem);
  CHECK(result.proven_optimal);
  const std::optional<Mapping> boxes = tile_boxes(problem);
  REQUIRE(boxes);
  CHECK(cost_of(problem, *boxes) == result.cost);
}

TEST_CASE("boxes: every rank has a place of its own, several on a place with room for them") {
  const MapProblem problem{.traffic = grid({6, 4}, {1, 1}, false), .topology = tree({3, 2}, 4)};
  const std::optional<Mapping> boxes = tile_boxes(problem);
  REQUIRE(boxes);
  for (const std::int64_t left : capacity_left(problem, *boxes)) CHECK(left == 0);
  CHECK(cost_of(problem, *boxes) == by_auto(problem).cost);
}

TEST_CASE("boxes: there are none for other traffic and on other machines") {
  Random random(1);
  CHECK_FALSE(tile_boxes({.traffic = grid({5}, {1}, false), .topology = tree({2, 3})}));         // places stay empty
  CHECK_FALSE(tile_boxes({.traffic = grid({6}, {1}, false), .topology = ring(6, random)}));      // no hierarchy
  CHECK_FALSE(tile_boxes({.traffic = Traffic::from_entries(6, {}), .topology = tree({2, 3})}));  // no product
}
