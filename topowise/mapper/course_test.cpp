// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/course.hpp>
#include <topowise/mapper/mapper.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include <tests/fixtures/machines.hpp>
#include <tests/fixtures/standing_clock.hpp>

#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/construct/fixed_ranks.hpp>
#include <topowise/mapper/problem/instance.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

double least_cost(const MapProblem& problem) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < problem.traffic.ranks(); ++p) places.emplace_back(p);
  double least = std::numeric_limits<double>::infinity();
  do {
    least = std::min(least, cost_of(problem, Mapping(places)));
  } while (std::ranges::next_permutation(places).found);
  return least;
}

}  // namespace

TEST_CASE("auto reports what is best so far; it never gets worse, and the bound never weaker") {
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

TEST_CASE("mix: the least of all permutations, in units of the identity, with a bound below") {
  Random random(61);
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    MapProblem problem{.traffic = random_traffic(6, 0.6, random),
                       .topology = round % 2 == 0 ? tree({3, 2}) : ring(6, random),
                       .objective = Objective::mix};
    problem.mix.hop_share = 0.2 * round;
    const MappingResult result = map_ranks(problem, "auto", {.time_limit = Seconds(100), .effort = 0.01});
    problem.mix = relative_to(problem, identity(6));
    CHECK(result.identity_cost == doctest::Approx(1.0));
    CHECK(result.cost == doctest::Approx(least_cost(problem)));
    CHECK(result.lower_bound <= result.cost);
  }
}

TEST_CASE("mix: with all the weight on one term it is that objective") {
  Random random(62);
  MapProblem problem{.traffic = random_traffic(8, 0.5, random), .topology = tree({2, 2, 2})};
  for (const Objective objective : {Objective::hop_bytes, Objective::max_congestion}) {
    problem.objective = objective;
    const MappingResult alone = map_ranks(problem, "auto", without_limit());
    problem.objective = Objective::mix;
    problem.mix.hop_share = objective == Objective::hop_bytes ? 1.0 : 0.0;
    const MappingResult mixed = map_ranks(problem, "auto", without_limit());
    CHECK(mixed.cost * alone.identity_cost == doctest::Approx(alone.cost));
    CHECK(mixed.proven_optimal == alone.proven_optimal);
  }
}

TEST_CASE("mix: fixed ranks stay") {
  Random random(63);
  MapProblem problem{
      .traffic = random_traffic(8, 0.5, random), .topology = tree({2, 2, 2}), .objective = Objective::mix};
  problem.fixed = {{Rank(0), Place(7)}};
  const MappingResult result = map_ranks(problem, "auto", {.time_limit = Seconds(100), .effort = 0.002});
  CHECK(result.mapping[Rank(0)] == Place(7));
  CHECK(result.cost <= 1.0 + 1e-9);
}

TEST_CASE("mix: no traffic costs nothing") {
  const MapProblem problem{
      .traffic = Traffic::from_entries(3, {}), .topology = tree({2, 2}), .objective = Objective::mix};
  const MappingResult result = map_ranks(problem, "auto", without_limit());
  CHECK(result.cost == 0);
  CHECK(result.proven_optimal);
}

TEST_CASE("mix: the quick mapper searches for it, too") {
  Random random(66);
  const MapProblem problem{
      .traffic = random_traffic(24, 0.1, random), .topology = tree({2, 3, 4}), .objective = Objective::mix};
  const MappingResult quick = map_ranks(problem, "multilevel-fast", {.time_limit = Seconds(100), .effort = 1e-4});
  CHECK(quick.cost < quick.identity_cost);
}

TEST_CASE("with fixed ranks no construction that looks at the traffic costs more than the ranks in order") {
  Random random(67);
  for (int round = 0; round < 5; ++round) {
    MapProblem problem{.traffic = random_traffic(12, 0.3, random), .topology = ring(14, random)};
    problem.fixed = {{Rank(0), Place(13)}, {Rank(1), Place(0)}};
    const double in_order = cost_of(problem, place_fixed(problem, fill_in_order(problem)));
    for (const char* mapper : {"greedy", "grid"}) {
      CAPTURE(mapper);
      CHECK(map_ranks(problem, mapper).cost <= in_order);
    }
  }
}

TEST_CASE("auto has a lower bound also where its searches take all of their time") {
  // The time of the searches passes at once, and that of the bound not at all.
  class JumpingClock final : public Clock {
   public:
    [[nodiscard]] Seconds now() const override { return Seconds(looks_++ < 40 ? 0 : 0.7); }

   private:
    mutable int looks_ = 0;
  };
  Random random(71);
  const MapProblem problem{.traffic = random_traffic(256, 0.05, random), .topology = tree({4, 8, 8})};
  const auto bound_by = [&](const char* mapper) {
    const JumpingClock clock;
    const MapOptions options{.time_limit = Seconds(1), .threads = 1, .bound_time = Seconds(0.4), .clock = &clock};
    return map_ranks(problem, mapper, options).lower_bound;
  };
  CHECK(bound_by("auto") >= bound_by("identity"));
  CHECK(bound_by("identity") > quick_lower_bound(problem));  // or there would be nothing to lose
}
