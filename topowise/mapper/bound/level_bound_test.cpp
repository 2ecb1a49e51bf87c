// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/bound/level_bound.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>
#include <tests/fixtures/mapping_problems.hpp>

#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/problem/mapper_functions.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

double bound_of(const MapProblem& problem) {
  return level_bound(problem, Partners(problem.traffic));
}

}  // namespace

TEST_CASE("level bound: a ring and a row on a hierarchy with four ranks per place, by hand") {
  // 20 and 12 ranks on 4 x 2 places of capacity 4; distances 1 and 10. A spanning forest has 19 + 11 pairs. 4 groups
  // are needed: 4 - 2 pairs cross. Four ranks keep three pairs at most, because no two ranks have two partners in
  // common: 7 of 31 leave the places.
  const Traffic ring = grid({20}, {1}, true);
  std::vector<TrafficEntry> entries(ring.entries().begin(), ring.entries().end());
  for (std::size_t r = 20; r + 1 < 32; ++r) entries.push_back({Rank(r), Rank(r + 1), Bytes(2), 1});
  MapProblem problem{.traffic = Traffic::from_entries(32, std::move(entries)),
                     .topology = multilevel::uniform_tree({4, 2})};
  problem.ranks_per_place = 4;
  CHECK(bound_of(problem) == doctest::Approx(2 * (7 * 1 + 2 * 9)));
  CHECK(quick_lower_bound(problem) >= bound_of(problem));
  problem.ranks_per_place = 32;  // all ranks fit on one place
  CHECK(bound_of(problem) == 0);
}

TEST_CASE("level bound: a ring is seen to be a cycle, of which an arc has two ends, whatever the order of ranks") {
  const Traffic ring = grid({32}, {1}, true);
  for (const Traffic& traffic : {ring, renumbered(ring, 5)}) {
    MapProblem problem{.traffic = traffic, .topology = multilevel::uniform_tree({2, 4})};
    problem.ranks_per_place = 4;
    CHECK(bound_of(problem) == doctest::Approx(2 * (8 * 1 + 2 * 9)));
  }
}

TEST_CASE("level bound: degrees count where a place holds fewer than a rank's partners") {
  // All pairs of 8 ranks, two ranks on a place: each rank has one partner beside it and six outside, two of them near.
  std::vector<TrafficEntry> entries;
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = a + 1; b < 8; ++b) entries.push_back({Rank(a), Rank(b), Bytes(1), 1});
  }
  MapProblem problem{.traffic = Traffic::from_entries(8, std::move(entries)),
                     .topology = multilevel::uniform_tree({2, 2})};
  problem.ranks_per_place = 2;
  CHECK(bound_of(problem) == 8 * (2 * 1 + 4 * 10) / 2);  // every mapping costs this
}

TEST_CASE("level bound: never above the optimum, whatever the machine, with several ranks per place") {
  Random random(21);
  int above_zero = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 4 + random.below(4);
    MapProblem problem{.traffic = random_traffic(ranks, 0.5, random),
                       .topology = round % 3 == 0   ? tree({2, 3})
                                   : round % 3 == 1 ? random_matrix(4 + random.below(2), 1, random)
                                                    : multilevel::torus({5})};
    problem.ranks_per_place = 2 + round % 2;
    const MapperAnswer exact = map_exact(problem, Budget(MapOptions{.time_limit = Seconds(600)}));
    REQUIRE(exact.proven_optimal);
    const double optimum =
        evaluate(problem.objective, problem.traffic, problem.topology, exact.mapping, problem.metric);
    CHECK(bound_of(problem) <= optimum * (1 + 1e-12));
    above_zero += bound_of(problem) > 0 ? 1 : 0;
  }
  CHECK(above_zero > 30);
}

TEST_CASE("level bound: more capacity on fewer places lowers it, by arities and by distances") {
  MapProblem problem{.traffic = grid({64, 64}, {1, 3}, true), .topology = tree({16, 16, 16})};
  const double by_arity = bound_of(problem);
  problem.allowed.clear();
  for (std::size_t p = 0; p < 2048; ++p) problem.allowed.emplace_back(p);
  problem.ranks_per_place = 2;
  CHECK(by_arity > 0);
  CHECK(bound_of(problem) > 0);
  CHECK(bound_of(problem) < by_arity);  // there is more capacity, and the ranks are nearer to each other
}
