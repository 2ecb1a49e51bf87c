// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <tests/fixtures/machines.hpp>

#include <topowise/mapper/problem/objective_choice.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

MapProblem problem_of(Traffic traffic, Topology topology) {
  return {.traffic = std::move(traffic), .topology = std::move(topology)};
}

/// "predicted-time", or "hop-bytes: reason".
std::string chosen(const MapProblem& problem, const AskedObjective& asked = {}) {
  const ObjectiveChoice choice = choose_objective(problem, asked);
  return std::string(to_string(choice.objective)) + (choice.reason.empty() ? "" : ": " + choice.reason);
}

/// A star of four places, some of whose links have no rate.
Topology star(int unknown) {
  TopologyBuilder builder("star");
  const VertexId middle = builder.add_vertex({.kind = VertexKind::pcie_switch, .name = "S"});
  for (int i = 0; i < 4; ++i) {
    const VertexId gpu =
        builder.add_vertex({.kind = VertexKind::gpu, .name = "GPU" + std::to_string(i), .parent = middle});
    const BytesPerSecond up(2 * i < unknown ? 0 : 1e9);
    const BytesPerSecond down(2 * i + 1 < unknown ? 0 : 1e9);
    builder.add_link({.from = gpu, .to = middle, .kind = LinkKind::pcie, .bandwidth = up});
    builder.add_link({.from = middle, .to = gpu, .kind = LinkKind::pcie, .bandwidth = down});
    builder.add_place(PlaceKind::gpu, gpu);
  }
  return std::move(builder).build();
}

}  // namespace

TEST_CASE("objective: predicted time where all rates are known") {
  CHECK(chosen(problem_of(grid({4}, {1e6}, false), star(0))) == "predicted-time");
  CHECK(chosen(problem_of(grid({4}, {1e6}, false), tree({2, 2}))) == "predicted-time");
}

TEST_CASE("objective: what the user says holds") {
  const MapProblem problem = problem_of(grid({4}, {1e6}, false), star(3));
  CHECK(chosen(problem, {.objective = Objective::mix}) == "mix");
  CHECK(chosen(problem, {.objective = Objective::predicted_time, .is_metric_named = true}) == "predicted-time");
  CHECK(chosen(problem_of(grid({4}, {1e6}, false), star(0)), {.is_metric_named = true}) == "hop-bytes");
  CHECK(chosen(problem_of(grid({4}, {1e6}, false), star(0)), {.mapper = "greedy"}) == "hop-bytes");
}

TEST_CASE("objective: links without a rate are counted, those between usable places only") {
  MapProblem problem = problem_of(grid({2}, {1e6}, false), star(3));
  CHECK(chosen(problem) == "hop-bytes: 3 of 8 links have no rate");
  CHECK(chosen(problem_of(grid({2}, {1e6}, false), star(1))) == "hop-bytes: 1 of 8 links has no rate");
  problem.allowed = {Place(1), Place(2), Place(3)};
  CHECK(chosen(problem) == "hop-bytes: 1 of 6 links has no rate");
  problem.allowed = {Place(2), Place(3)};
  CHECK(chosen(problem) == "predicted-time");
}

TEST_CASE("objective: a rate that is stated for all links or measured for all pairs is one") {
  const MapProblem problem = problem_of(grid({4}, {1e6}, false), star(8));
  TopologyBuilder stated(problem.topology);
  stated.set_congestion({.link_bandwidth = BytesPerSecond(1e9)});
  CHECK(chosen(problem_of(problem.traffic, std::move(stated).build())) == "predicted-time");
  std::vector<double> rates(16, 1e9);
  TopologyBuilder measured(problem.topology);
  measured.set_pair_matrix(Metric::bandwidth, {.values = rates, .source = "test"});
  CHECK(chosen(problem_of(problem.traffic, std::move(measured).build())) == "predicted-time");
  rates[1] = 0;
  TopologyBuilder partly(problem.topology);
  partly.set_pair_matrix(Metric::bandwidth, {.values = rates, .source = "test"});
  CHECK(chosen(problem_of(problem.traffic, std::move(partly).build())) == "hop-bytes: 2 of 2 links have no rate");
}

TEST_CASE("objective: places without links between them") {
  const Topology matrix = from_distances(std::vector<double>(9, 1.0), {1, 1, 1});
  CHECK(chosen(problem_of(grid({3}, {1e6}, false), matrix)) == "hop-bytes: no links are known between p and p");
}

TEST_CASE("objective: the time of a few bytes is latency alone, so they count as weights") {
  CHECK(chosen(problem_of(grid({4}, {3}, false), tree({2, 2}))) ==
        "hop-bytes: ranks send each other 3 B at most, which is latency alone");
  CHECK(chosen(problem_of(grid({4}, {64}, false), tree({2, 2}))) == "predicted-time");
}

TEST_CASE("objective: loads, no traffic, and too many ranks or messages") {
  MapProblem loaded = problem_of(grid({4}, {1e6}, false), tree({2, 2}));
  loaded.imbalance = 0.1;
  CHECK(chosen(loaded) == "predicted-time");
  loaded.loads = {1, 2, 1, 1};
  CHECK(chosen(loaded) == "hop-bytes: predicted-time knows no loads of ranks");
  CHECK(chosen(problem_of(Traffic::from_entries(4, {}), tree({2, 2}))) == "hop-bytes");
  CHECK(chosen(problem_of(grid({513}, {1e6}, false), tree({2, 2}, 200))) ==
        "hop-bytes: 513 ranks are too many to predict each mapping; --objective predicted-time does it anyway");
  std::vector<TrafficEntry> all;
  for (std::size_t a = 0; a < 92; ++a)
    for (std::size_t b = 0; b < 92; ++b) all.push_back({Rank(a), Rank(b), Bytes(100), 1});
  CHECK(chosen(problem_of(Traffic::from_entries(92, std::move(all)), tree({2, 2}, 200))) ==
        "hop-bytes: 8372 messages are too many to predict each mapping; --objective predicted-time does it anyway");
}
