// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/map_auto.hpp>
#include <topowise/mapper/mapper.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <tests/fixtures/machines.hpp>

using namespace topowise;
using namespace topowise::fixtures;

TEST_CASE("auto tells what is best so far; it never gets worse, and the bound never weaker") {
  Random random(5);
  const MapProblem problem{.traffic = random_traffic(40, 0.2, random), .topology = tree({4, 4, 4})};
  std::vector<MapProgress> told;
  const MapOptions options{.time_limit = Seconds(1000), .effort = 1e-3, .progress = [&](const MapProgress& progress) {
                             told.push_back(progress);
                           }};
  const MappingResult result = map_ranks(problem, "auto", options);
  REQUIRE(told.size() >= 2);
  CHECK(told.front().cost == result.identity_cost);
  for (std::size_t i = 1; i < told.size(); ++i) {
    CHECK(told[i].cost <= told[i - 1].cost);
    CHECK(told[i].lower_bound >= told[i - 1].lower_bound);
  }
  CHECK(result.cost <= told.back().cost);
}
