// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/mapper_functions.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>
#include <tests/lack.hpp>

#include <topowise/base/error.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

/// Scotch's mapping; nothing where the library is not installed.
std::optional<Mapping> scotch(const MapProblem& problem) {
  try {
    return map_scotch(problem, Budget()).mapping;
  } catch (const Error& error) {
    REQUIRE(error.status() == ExitStatus::not_available);
    test::skip_without(error.what());
    return std::nullopt;
  }
}

double cost(const MapProblem& problem, const Mapping& mapping) {
  return evaluate(problem.objective, problem.traffic, problem.topology, mapping, problem.metric);
}

}  // namespace

TEST_CASE("scotch is given distances, not affinities: heavy pairs end up near") {
  const MapProblem problem{.traffic = grid({4, 4}, {3, 1}, false), .topology = tree({2, 2, 2, 2})};
  const std::optional<Mapping> mapping = scotch(problem);
  if (!mapping) return;
  CHECK(cost(problem, *mapping) <= 200);  // the identity costs 272, the optimum 176
}

TEST_CASE("scotch's balance is repaired to capacities") {
  // Two groups that talk among themselves; the two places that are near each other have different capacities.
  std::vector<TrafficEntry> entries;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) entries.push_back({Rank(i), Rank(j), Bytes(i / 3 == j / 3 ? 100.0 : 1.0)});
  }
  const Traffic groups = Traffic::from_entries(6, entries);
  const MapProblem problem{.traffic = groups, .topology = from_distances({0, 9, 9, 9, 0, 1, 9, 1, 0}, {3, 2, 1})};
  const std::optional<Mapping> mapping = scotch(problem);
  if (!mapping) return;
  CHECK_NOTHROW(mapping->check(problem.topology));
  CHECK(cost(problem, *mapping) == 2 * (9 * 9 + 200));  // one group is on place 0, the other on 1 and 2
}

TEST_CASE("scotch: large and fractional numbers, one place, no traffic") {
  MapProblem problem{.traffic = grid({2, 2, 2}, {1e15, 3.7e3, 0.1}, true), .topology = tree({2, 2, 2})};
  // The small numbers are lost beside the largest, but the heavy pairs stay together.
  if (const std::optional<Mapping> mapping = scotch(problem))
    CHECK(cost(problem, *mapping) <= least_cost(problem) * (1 + 1e-9));
  problem = {.traffic = grid({3}, {1}, false), .topology = tree({1}, 3)};
  if (const std::optional<Mapping> mapping = scotch(problem))
    CHECK(*mapping == Mapping({Place(0), Place(0), Place(0)}));
  problem = {.traffic = Traffic::from_entries(3, {}), .topology = tree({4})};
  if (const std::optional<Mapping> mapping = scotch(problem)) {
    CHECK(mapping->ranks() == 3);
    CHECK_NOTHROW(mapping->check(problem.topology));
  }
}

TEST_CASE("where every test must run, a lack is a failure" * doctest::should_fail()) {
  const char* set = std::getenv("TOPOWISE_REQUIRE_ALL");
  const std::optional<std::string> before = set != nullptr ? std::optional<std::string>(set) : std::nullopt;
  ::setenv("TOPOWISE_REQUIRE_ALL", "1", 1);
  test::skip_without("no libscotch");
  if (before)
    ::setenv("TOPOWISE_REQUIRE_ALL", before->c_str(), 1);
  else
    ::unsetenv("TOPOWISE_REQUIRE_ALL");
}
