// SPDX-License-Identifier: BSD-3-Clause
// Threads act as the processes, and the worst possible partitioner acts as PT-Scotch.
#include <topowise/distributed/map_distributed.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include <tests/fixtures/machines.hpp>
#include <tests/fixtures/thread_team.hpp>

using namespace topowise;
using namespace topowise::distributed;
using namespace topowise::fixtures;

namespace {

std::vector<TrafficEntry> rows(const Traffic& traffic, const Team& team) {
  const RankRange own =
      piece_of(traffic.ranks(), static_cast<std::size_t>(team.rank()), static_cast<std::size_t>(team.size()));
  std::vector<TrafficEntry> entries;
  for (const TrafficEntry& entry : traffic.entries()) {
    if (own.contains(entry.source.index())) entries.push_back(entry);
  }
  return entries;
}

std::vector<int> everything_in_one(const GuestGraph& graph, const MachineParts&, std::uint64_t) {
  return std::vector<int>(static_cast<std::size_t>(graph.own_size()), 0);
}

}  // namespace

TEST_CASE("a piece knows its ghosts, and values reach them") {
  const Traffic ring = Traffic::from_entries(
      7, {{Rank(0), Rank(6), Bytes(1)}, {Rank(6), Rank(0), Bytes(2)}, {Rank(3), Rank(1), Bytes(4)}});
  std::vector<double> seen(3);
  as_team(3, [&](const Team& team) {
    const GuestGraph graph(team, 7, rows(ring, team));
    std::vector<std::size_t> ranks;
    for (std::size_t r = graph.own().first; r < graph.own().end; ++r) ranks.push_back(r);
    graph.add_ghosts(team, ranks);
    double sum = 0;
    for (multilevel::GuestVertex v = 0; v < graph.own_size(); ++v) {
      for (const multilevel::Arc& arc : graph.arcs_of(v))
        sum += arc.weight * (ranks[static_cast<std::size_t>(arc.to)] == graph.rank_of(arc.to) ? 1 : 100);
    }
    seen[static_cast<std::size_t>(team.rank())] = sum;
  });
  CHECK(seen == std::vector<double>{3 + 4, 4, 3});
}

TEST_CASE("from the worst partition to a mapping that keeps all capacities and is nearly as good as any") {
  const Traffic traffic = grid({12, 12}, {1, 1}, false);
  const Topology machine = tree({4, 6, 6});
  const MapProblem whole{.traffic = traffic, .topology = machine};
  const MapOptions options{.time_limit = Seconds(100), .threads = 1};
  const double alone = map_ranks(whole, "multilevel-fast", options).cost;
  for (const int processes : {1, 2, 3}) {
    CAPTURE(processes);
    std::optional<MappingResult> result;
    as_team(processes, [&](const Team& team) {
      MapProblem shell = whole;
      shell.traffic = Traffic::from_entries(traffic.ranks(), {});
      MappingResult own =
          map_distributed(team, shell, rows(traffic, team), "multilevel-fast", everything_in_one, options);
      if (team.rank() == 0) result = std::move(own);
    });
    REQUIRE(result->mapping.ranks() == traffic.ranks());
    result->mapping.check(machine);
    CHECK(result->cost == doctest::Approx(evaluate(whole.objective, traffic, machine, result->mapping, whole.metric)));
    CHECK(result->lower_bound <= result->cost);
    CHECK(result->cost <= 1.1 * alone);
  }
}

TEST_CASE("an imbalance counts for the whole machine, and the bound is one of the whole") {
  const Traffic traffic = grid({20, 20}, {1, 1}, false);
  const Topology machine = tree({4, 4});
  MapProblem whole{.traffic = traffic, .topology = machine};
  whole.imbalance = 0.08;  // 27 ranks per place
  const MapOptions options{.time_limit = Seconds(100), .threads = 1};
  const double alone = map_ranks(whole, "multilevel", options).cost;
  for (const int processes : {1, 3}) {
    std::optional<MappingResult> result;
    as_team(processes, [&](const Team& team) {
      MapProblem shell = whole;
      shell.traffic = Traffic::from_entries(traffic.ranks(), {});
      MappingResult own = map_distributed(team, shell, rows(traffic, team), "multilevel", everything_in_one, options);
      if (team.rank() == 0) result = std::move(own);
    });
    std::vector<int> load(machine.place_count(), 0);
    for (const Place place : result->mapping.places()) ++load[place.index()];
    CHECK(std::ranges::max(load) <= 27);
    CHECK(result->lower_bound > 0);
    CHECK(result->lower_bound <= std::min(alone, result->cost));
  }
}

TEST_CASE("what goes wrong in one process ends all of them with its message") {
  std::vector<std::string> heard(3);
  as_team(3, [&](const Team& team) {
    try {
      team.together([&] {
        if (team.rank() == 1)
          throw Error(ExitStatus::bad_input, {Diagnostic{"file", {3, 4}, "wrong", "line", "a hint"}});
      });
    } catch (const AgreedError& error) {
      const Diagnostic& told = error.diagnostics().front();
      heard[static_cast<std::size_t>(team.rank())] =
          told.where + std::to_string(told.position.line) + told.what + told.source_line + told.hint;
    }
  });
  CHECK(heard == std::vector<std::string>(3, "file3wronglinea hint"));
}
