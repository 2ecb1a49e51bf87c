// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/hop_bytes.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/machines.hpp>

#include <topowise/base/error.hpp>
#include <topowise/predict/objective/level_traffic.hpp>
#include <topowise/predict/objective/objective.hpp>

using namespace topowise;
using namespace topowise::fixtures;

TEST_CASE("a 4x4 stencil with a heavy first dimension on the 16-GPU hierarchy costs 272 in order") {
  const Topology machine = tree({2, 2, 2, 2});
  const Traffic stencil = grid({4, 4}, {3, 1}, false);
  const Mapping unmapped = identity(16);
  CHECK(hop_bytes(stencil, machine, unmapped, Metric::distance) == 272);
  CHECK(evaluate(Objective::hop_bytes, stencil, machine, unmapped, Metric::distance) == 272);

  const Dilation stretch = dilation(stencil, machine, unmapped, Metric::distance);
  CHECK(stretch.max == 4);
  CHECK(stretch.average == doctest::Approx(272.0 / 96));

  // Each row of the stencil is on one quarter of the machine: x neighbours meet on levels 0 and 1, y neighbours above.
  const LevelTraffic levels = level_traffic(stencil, machine, unmapped);
  REQUIRE(levels.by_level.size() == 4);
  CHECK(levels.by_level[0] == Bytes(16));
  CHECK(levels.by_level[1] == Bytes(8));
  CHECK(levels.by_level[2] == Bytes(48));
  CHECK(levels.by_level[3] == Bytes(24));
  CHECK(levels.within == Bytes(0));
}

TEST_CASE("direction counts, a rank's own messages do not, and a shared place costs nothing") {
  const Topology machine = from_distances({0, 5, 7, 0}, {2, 1});
  const Traffic traffic = Traffic::from_entries(3, {{Rank(0), Rank(1), Bytes(1)},
                                                    {Rank(1), Rank(0), Bytes(10)},
                                                    {Rank(0), Rank(2), Bytes(100)},
                                                    {Rank(2), Rank(2), Bytes(1000)}});
  const Mapping mapping({Place(0), Place(1), Place(0)});
  CHECK(hop_bytes(traffic, machine, mapping, Metric::distance) == 1 * 5 + 10 * 7);
  const LevelTraffic levels = level_traffic(traffic, machine, mapping);
  CHECK(levels.within == Bytes(100));
  CHECK(levels.by_level == std::vector{Bytes(11)});
  CHECK(dilation(traffic, machine, mapping, Metric::distance).max == 7);
}

TEST_CASE("a mapping of other ranks or to no place is refused") {
  const Topology machine = tree({2, 2});
  const Traffic traffic = grid({4}, {1}, false);
  CHECK_THROWS_WITH_AS((void)hop_bytes(traffic, machine, identity(3), Metric::distance),
                       "the mapping places 3 ranks, but the traffic has 4", Error);
  CHECK_THROWS_WITH_AS(
      (void)hop_bytes(traffic, machine, Mapping({Place(0), Place(1), Place(2), Place(4)}), Metric::distance),
      "the mapping puts rank 3 on place 4, but 'tree' has only places 0 to 3", Error);
}
