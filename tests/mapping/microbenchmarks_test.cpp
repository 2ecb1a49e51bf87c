// SPDX-License-Identifier: BSD-3-Clause
// Node level: every pattern of the microbenchmarks is mapped onto every preset with a proof. bench/quality measures how
// long that takes.
#include <doctest/doctest.h>

#include <tests/mapping/microbenchmarks.hpp>

#include <topowise/mapper/mapper.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>
#include <topowise/traffic_source/source.hpp>

using namespace topowise;

TEST_CASE("factors are as even as they can be") {
  CHECK(testing::even_factors(16, 2, 16) == std::vector{4, 4});
  CHECK(testing::even_factors(12, 2, 12) == std::vector{4, 3});
  CHECK(testing::even_factors(16, 3, 16) == std::vector{4, 2, 2});
  CHECK(testing::even_factors(7, 2, 7).empty());
  CHECK(testing::microbenchmarks(16).size() == 15);
  CHECK(testing::microbenchmarks(7).empty());
}

TEST_CASE("the microbenchmarks on the presets are proven optimal") {
  for (const Preset& preset : presets()) {
    const Topology machine = preset.make();
    const int places = static_cast<int>(machine.place_count());
    if (places > 16) continue;  // the preset is a whole cluster
    for (const std::string& pattern : testing::microbenchmarks(places)) {
      CAPTURE(preset.name);
      CAPTURE(pattern);
      const MappingResult result = map_ranks({.traffic = read_traffic(pattern), .topology = machine});
      CHECK(result.proven_optimal);
      CHECK(result.cost <= result.identity_cost);
      CHECK(result.lower_bound == doctest::Approx(result.cost));
    }
  }
}
