// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <optional>
#include <utility>
#include <vector>

#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>
#include <tests/fixtures/standing_clock.hpp>

#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/uniform_part.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

/// Every rank sends at least `least` bytes to every other. Some pairs send more, and a rank sometimes sends to itself.
Traffic all_to_all(std::size_t ranks, std::uint32_t least, Random& random) {
  std::vector<TrafficEntry> entries;
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      const std::uint32_t more = random.below(3) == 0 ? random.below(50) : 0;
      if (from != to || more > 25)
        entries.push_back({.source = Rank(from), .destination = Rank(to), .bytes = Bytes(least + more), .messages = 1});
    }
  }
  return Traffic::from_entries(ranks, std::move(entries));
}

Mapping shuffled(std::vector<Place> slots, Random& random) {
  for (std::size_t left = slots.size(); left > 1; --left)
    std::swap(slots[left - 1], slots[random.below(static_cast<std::uint32_t>(left))]);
  return Mapping(std::move(slots));
}

}  // namespace

TEST_CASE("a problem without its uniform part costs the same less, under every mapping") {
  Random random(61);
  for (int round = 0; round < 30; ++round) {
    const std::size_t ranks = 2 + random.below(10);
    MapProblem problem{.traffic = all_to_all(ranks, 1 + random.below(9), random),
                       .topology = random_matrix(ranks, 1, random)};
    if (round % 3 == 1) problem.topology = ring(ranks, random);
    if (round % 3 == 2) problem = {.traffic = all_to_all(12, 7, random), .topology = tree({2, 3}, 2)};
    CAPTURE(round);
    const std::optional<UniformPart> part = split_uniform_part(problem);
    REQUIRE(part);
    CHECK(part->rest.traffic.entries().size() < problem.traffic.entries().size());
    for (int i = 0; i < 10; ++i) {
      const Mapping mapping = shuffled(slots(problem), random);
      CHECK(cost_of(problem, mapping) == doctest::Approx(cost_of(part->rest, mapping) + part->cost));
    }
  }
}

TEST_CASE("what has no uniform part") {
  Random random(62);
  const Traffic full = all_to_all(6, 3, random);
  const MapProblem problem{.traffic = full, .topology = tree({2, 3})};
  REQUIRE(split_uniform_part(problem));

  MapProblem other = problem;
  other.objective = Objective::max_congestion;
  CHECK(!split_uniform_part(other));
  other = problem;
  other.topology = tree({2, 4});  // the choice of the places that stay free matters
  CHECK(!split_uniform_part(other));
  other.allowed = {Place(0), Place(1), Place(2), Place(3), Place(4), Place(5)};
  CHECK(split_uniform_part(other));
  other = problem;
  other.imbalance = 0.5;
  other.loads = {1, 1, 1, 1, 1, 2};
  CHECK(!split_uniform_part(other));
  other = problem;
  other.traffic = grid({6}, {1}, true);
  CHECK(!split_uniform_part(other));
  std::vector<TrafficEntry> entries(full.entries().begin(), full.entries().end());
  entries[2].bytes = Bytes(0.5);  // an entry from rank 0 to another rank
  other.traffic = Traffic::from_entries(6, entries);
  CHECK(!split_uniform_part(other));
  CHECK(!split_uniform_part({.traffic = Traffic::from_entries(1, {}), .topology = tree({1})}));
}

TEST_CASE("an all-to-all on a full machine is proven, and what comes on top of one is mapped as well as alone") {
  Random random(63);
  const MapProblem plain{.traffic = all_to_all(7, 5, random), .topology = random_matrix(7, 1, random)};
  const MappingResult found = map_ranks(plain, "auto", without_limit());
  CHECK(found.proven_optimal);
  CHECK(found.cost == doctest::Approx(brute_force(plain)));
  CHECK(found.lower_bound == doctest::Approx(found.cost));

  MapProblem fixed = plain;
  fixed.fixed = {{Rank(2), Place(0)}, {Rank(0), Place(5)}};
  const MappingResult kept = map_ranks(fixed, "auto", without_limit());
  CHECK(kept.proven_optimal);
  CHECK(kept.cost == doctest::Approx(least_cost(fixed)));

  std::vector<TrafficEntry> entries;
  for (std::size_t from = 0; from < 300; ++from) {
    for (std::size_t to = 0; to < 300; ++to)
      if (from != to) entries.push_back({.source = Rank(from), .destination = Rank(to), .bytes = Bytes(8)});
  }
  const MapProblem alike{.traffic = Traffic::from_entries(300, entries), .topology = ring(300, random)};
  for (const char* mapper : {"auto", "multilevel-fast", "random"}) {
    const MappingResult same = map_ranks(alike, mapper, without_limit({.effort = 1e-3}));
    CHECK(same.proven_optimal);
    CHECK(same.cost == same.identity_cost);
  }
  std::vector<double> told;
  const MapProblem small{.traffic = all_to_all(18, 100, random), .topology = random_matrix(18, 1, random)};
  const MappingResult watched = map_ranks(small, "auto", {.effort = 1e-3, .progress = [&](const MapProgress& now) {
                                                            told.insert(told.end(), {now.cost, now.lower_bound});
                                                          }});
  REQUIRE(!told.empty());
  for (std::size_t i = 0; i < told.size(); i += 2) {
    CHECK(told[i] >= watched.cost);
    CHECK(told[i + 1] <= watched.lower_bound);
  }
}
