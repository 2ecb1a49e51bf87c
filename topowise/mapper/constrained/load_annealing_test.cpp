// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/constrained/load_annealing.hpp>
#include <topowise/mapper/mapper.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>

#include <topowise/mapper/constrained/balance.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

MapProblem loaded(Traffic traffic, Topology topology, double imbalance, int heaviest, Random& random) {
  MapProblem problem{.traffic = std::move(traffic), .topology = std::move(topology)};
  problem.imbalance = imbalance;
  for (std::size_t r = 0; r < problem.traffic.ranks(); ++r)
    problem.loads.push_back(1 + static_cast<int>(random.below(static_cast<std::uint32_t>(heaviest))));
  return problem;
}

/// A budget of as many trials as fit into that time; they are counted, the clock does not decide.
Budget trials(double seconds) {
  return Budget(MapOptions{.time_limit = Seconds(1000)}).counting(Seconds(seconds));
}

}  // namespace

TEST_CASE("places stay within their loads, fixed ranks where they are, and the cost is what it is said to be") {
  Random random(81);
  for (int round = 0; round < 24; ++round) {
    CAPTURE(round);
    const bool has_links = round % 3 != 0;
    MapProblem problem = loaded(random_traffic(24, 0.2, random), has_links ? tree({2, 3}) : random_matrix(5, 2, random),
                                0.05 * (round % 4), 6, random);
    if (round % 3 == 2) problem.objective = Objective::max_congestion;
    const Mapping start = pack(problem);
    if (overload(problem, start) > 0) continue;
    if (round % 2 == 0) problem.fixed = {{Rank(3), start[Rank(3)]}, {Rank(20), start[Rank(20)]}};
    const MapperAnswer found = load_annealing(problem, start, trials(0.05));
    CHECK(overload(problem, found.mapping) == 0);
    for (const FixedRank& fixed : problem.fixed) CHECK(found.mapping[fixed.rank] == fixed.place);
    CHECK(found.cost == doctest::Approx(cost_of(problem, found.mapping)));
    CHECK(found.cost < cost_of(problem, start));
    CHECK(load_annealing(problem, start, trials(0.05)).mapping == found.mapping);
  }
}

TEST_CASE("on small problems the best of all mappings is found") {
  Random random(82);
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    const MapProblem problem = loaded(random_traffic(7, 0.5, random), tree({2, 2}), 0.1, 5, random);
    const Mapping start = pack(problem);
    if (overload(problem, start) > 0) continue;
    const MapperAnswer found = load_annealing(problem, start, trials(0.2));
    CHECK(found.cost == doctest::Approx(least_cost(problem)));
  }
}

TEST_CASE("places that are filled to the brim need not cost much") {
  // Four ranks on a place: without loads, the best groups are squares of 2 x 2, each with 8 neighbours outside.
  Random random(83);
  MapProblem problem = loaded(grid({12, 12}, {1, 1}, true), tree({3, 3, 4}), 0.0, 9, random);
  const Mapping start = pack(problem);
  REQUIRE(overload(problem, start) == 0);
  const MapperAnswer found = load_annealing(problem, start, trials(1));
  CHECK(overload(problem, found.mapping) == 0);
  CHECK(found.cost < 0.6 * cost_of(problem, start));
  MapProblem even = problem;
  even.loads.clear();
  const MapOptions options{.time_limit = Seconds(100), .effort = 0.05};
  CHECK(map_ranks(problem, "multilevel", options).cost < 1.25 * map_ranks(even, "multilevel", options).cost);
}

TEST_CASE("nothing to choose, nothing changed") {
  Random random(84);
  MapProblem problem = loaded(grid({4}, {1}, false), tree({4}), 1.0, 3, random);
  const Mapping start = pack(problem);
  for (std::size_t r = 0; r < 4; ++r) problem.fixed.push_back({Rank(r), start[Rank(r)]});
  CHECK(load_annealing(problem, start, trials(1)).mapping == start);
}
