// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/mapper.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>

#include <topowise/base/error.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/mapper/problem/instance.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

std::string refusal(const MapProblem& problem, std::string_view mapper = "auto") {
  try {
    (void)map_ranks(problem, mapper);
  } catch (const Error& error) {
    return error.diagnostics().front().what;
  }
  return "accepted";
}

void check_kept(const MapProblem& problem, const Mapping& mapping) {
  CHECK(overload(problem, mapping) == 0);
  for (const FixedRank& fixed : problem.fixed) CHECK(mapping[fixed.rank] == fixed.place);
}

}  // namespace

TEST_CASE("fixed ranks: every mapper keeps them; auto finds what all mappings tried in turn have to offer" *
          doctest::test_suite("threads")) {
  const MapOptions options{.time_limit = Seconds(100), .effort = 0.002};
  Random random(51);
  for (int round = 0; round < 8; ++round) {
    CAPTURE(round);
    MapProblem problem{.traffic = random_traffic(6, 0.6, random),
                       .topology = round % 2 == 0 ? tree({2, 2, 2}) : random_matrix(7, 1, random)};
    problem.fixed = {{Rank(random.below(3)), Place(5)}, {Rank(3 + random.below(3)), Place(random.below(4))}};
    for (const Mapper& mapper : mappers()) {
      if (mapper.name == "scotch") continue;
      CAPTURE(mapper.name);
      const MappingResult result = map_ranks(problem, mapper.name, options);
      check_kept(problem, result.mapping);
      CHECK(result.lower_bound <= result.cost);
    }
    const MappingResult best = map_ranks(problem, "auto", options);
    CHECK(best.cost == doctest::Approx(least_cost(problem)));
    MapOptions again = options;
    again.threads = 1;
    CHECK(map_ranks(problem, "auto", again).mapping == best.mapping);
  }
}

TEST_CASE("on a regular hierarchy one fixed rank costs nothing, and the proof remains") {
  MapProblem problem{.traffic = grid({4, 4}, {1, 3}, true), .topology = tree({2, 2, 2, 2})};
  const MappingResult free = map_ranks(problem);
  REQUIRE(free.proven_optimal);
  for (std::size_t place = 0; place < 16; ++place) {
    problem.fixed = {{Rank(3), Place(place)}};
    const MappingResult fixed = map_ranks(problem);
    CHECK(fixed.mapping[Rank(3)] == Place(place));
    CHECK(fixed.cost == free.cost);
    CHECK(fixed.proven_optimal);
  }
}

TEST_CASE("all ranks fixed leave nothing to choose") {
  MapProblem problem{.traffic = grid({4}, {1}, true), .topology = tree({2, 2})};
  const std::vector<Place> wanted{Place(2), Place(0), Place(3), Place(1)};
  for (std::size_t r = 0; r < 4; ++r) problem.fixed.push_back({Rank(r), wanted[r]});
  CHECK(map_ranks(problem).mapping == Mapping(wanted));
}

TEST_CASE("loads: places keep their share, the cost is near the least") {
  Random random(52);
  for (int round = 0; round < 8; ++round) {
    CAPTURE(round);
    MapProblem problem{.traffic = random_traffic(8, 0.5, random), .topology = tree({2, 2})};
    problem.imbalance = 0.4;
    for (int r = 0; r < 8; ++r) problem.loads.push_back(1 + static_cast<int>(random.below(5)));
    if (round % 2 == 1) problem.fixed = {{Rank(2), Place(3)}};
    const MappingResult result = map_ranks(problem, "auto", {.time_limit = Seconds(100), .effort = 0.02});
    check_kept(problem, result.mapping);
    CHECK(result.lower_bound <= result.cost);
    CHECK(result.cost == doctest::Approx(least_cost(problem)));
  }
}

TEST_CASE("loads of many ranks") {
  Random random(53);
  MapProblem problem{.traffic = grid({20, 24}, {1, 1}, true), .topology = tree({2, 4, 4})};
  problem.imbalance = 0.03;
  for (int r = 0; r < 480; ++r) problem.loads.push_back(1 + static_cast<int>(random.below(100)));
  for (const char* mapper : {"auto", "multilevel", "multilevel-fast"}) {
    CAPTURE(mapper);
    const MappingResult result = map_ranks(problem, mapper, {.time_limit = Seconds(100), .effort = 0.01});
    check_kept(problem, result.mapping);
    CHECK(result.cost < 0.8 * result.identity_cost);
  }
}

TEST_CASE("an imbalance without loads is that of the numbers of ranks") {
  MapProblem problem{.traffic = grid({100}, {1}, true), .topology = tree({4})};
  problem.imbalance = 0.03;
  for (const PlaceCapacity& each : place_capacities(problem)) CHECK(each.capacity == 25);
  problem.imbalance = 0.04;
  for (const PlaceCapacity& each : place_capacities(problem)) CHECK(each.capacity == 26);
  check_kept(problem, map_ranks(problem).mapping);
}

TEST_CASE("a balance that is hard to find is packed anew, one that cannot be is refused with one that can") {
  MapProblem problem{.traffic = grid({6}, {1}, true), .topology = tree({2})};
  problem.imbalance = 0.0;
  problem.loads = {5, 1, 1, 1, 1, 1};
  check_kept(problem, map_ranks(problem).mapping);
  problem.loads = {4, 4, 4, 1, 1, 1};  // 8 and 7 fit: the share of 7.5 is rounded up to 8
  check_kept(problem, map_ranks(problem).mapping);
  problem.loads = {9, 1, 1, 1, 1, 1};
  CHECK(refusal(problem) == "no mapping was found whose places hold at most 0 more than their share of the load");
}

TEST_CASE("constraints that make no sense are refused") {
  MapProblem problem{.traffic = grid({4}, {1}, true), .topology = tree({2, 2})};
  problem.fixed = {{Rank(7), Place(0)}};
  CHECK(refusal(problem) == "rank 7 is fixed, but there are only ranks 0 to 3");
  problem.fixed = {{Rank(1), Place(0)}, {Rank(1), Place(2)}};
  CHECK(refusal(problem) == "rank 1 is fixed twice");
  problem.fixed = {{Rank(1), Place(2)}, {Rank(0), Place(2)}};
  CHECK(refusal(problem) == "more is fixed on place 2 than it holds (1)");
  problem.fixed = {{Rank(1), Place(9)}};
  CHECK(refusal(problem) == "rank 1 is fixed on place 9, but 'tree' has only places 0 to 3");
  problem.fixed.clear();
  problem.loads = {1, 2, 3};
  CHECK(refusal(problem) == "3 loads for 4 ranks");
  problem.loads = {1, 2, 3, 0};
  CHECK(refusal(problem) == "the load of a rank is not above 0");
  problem.loads = {1, 2, 3, 4};
  CHECK(refusal(problem) == "ranks with loads need an imbalance");
  problem.imbalance = 0.5;
  CHECK(refusal(problem, "tabu") == "mapper 'tabu' takes all ranks as equally heavy");
  problem.objective = Objective::predicted_time;
  CHECK(refusal(problem) == "predicted-time knows no loads of ranks");
}

TEST_CASE("equal loads keep the limit of the load, not that of the number of ranks") {
  MapProblem problem{.traffic = grid({3}, {1}, true), .topology = tree({2})};
  problem.imbalance = 0.03;
  problem.loads = {1, 1, 1};
  CHECK(refusal(problem) == "accepted");  // a share of 1.5, rounded up, holds two
  problem.loads = {5, 5, 5};              // a share of 7.5 holds one
  CHECK(refusal(problem) != "accepted");
  problem.imbalance = 0.4;
  const MappingResult found = map_ranks(problem);
  check_kept(problem, found.mapping);
}
