// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <tests/fixtures/machines.hpp>
#include <tests/lack.hpp>

#include <topowise/base/error.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/instance.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

struct Refusal {
  std::string what;
  std::string hint;
  ExitStatus status = ExitStatus::done;
};
Refusal refusal(const MapProblem& problem, std::string_view mapper = "identity") {
  try {
    (void)map_ranks(problem, mapper);
  } catch (const Error& error) {
    return {error.diagnostics().front().what, error.diagnostics().front().hint, error.status()};
  }
  return {"accepted", "", ExitStatus::done};
}

/// Whether the mapper is here. Scotch is optional; its own test says so when it is missing.
bool is_here(const MapProblem& problem, std::string_view mapper) {
  try {
    (void)map_ranks(problem, mapper);
    return true;
  } catch (const Error& error) {
    if (error.status() != ExitStatus::not_available) throw;
    test::skip_without(error.what());
    return false;
  }
}

/// A small effort: the counted work ends the searches, not the clock.
constexpr double kEffort = 0.0005;

/// The promises that every mapper keeps for every problem.
void check_promises(const MapProblem& problem) {
  const auto cost_of = [&](const Mapping& mapping) {
    return evaluate(problem.objective, problem.traffic, problem.topology, mapping, problem.metric);
  };
  for (const Mapper& mapper : mappers()) {
    CAPTURE(mapper.name);
    if (mapper.name == "scotch" && !is_here(problem, mapper.name)) continue;
    const MapOptions options{.time_limit = Seconds(100), .effort = kEffort};
    const MappingResult result = map_ranks(problem, mapper.name, options);
    REQUIRE(result.mapping.ranks() == problem.traffic.ranks());
    std::vector<std::size_t> left(problem.topology.place_count(), 0);
    for (const PlaceCapacity& each : place_capacities(problem)) left[each.place.index()] = each.capacity;
    for (const Place place : result.mapping.places()) {
      REQUIRE(left[place.index()] > 0);
      --left[place.index()];
    }
    CHECK(result.cost == doctest::Approx(cost_of(result.mapping)));
    CHECK(result.lower_bound <= result.cost);
    CHECK((!result.proven_optimal || result.lower_bound == doctest::Approx(result.cost)));
    MapOptions again = options;  // the same seed gives the same result with any number of threads
    again.threads = 1;
    CHECK(map_ranks(problem, mapper.name, again).mapping == result.mapping);
    if (mapper.name == "auto" || mapper.name == "tabu" || mapper.name == "exact")
      CHECK(result.cost <= result.identity_cost);
  }
}

}  // namespace

TEST_CASE("every mapper keeps its promises on random problems" * doctest::test_suite("threads")) {
  Random random(42);
  for (int round = 0; round < 4; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 2 + random.below(8);
    MapProblem problem{.traffic = random_traffic(ranks, 0.3 + 0.1 * (round % 5), random),
                       .topology = random_matrix(ranks + random.below(4), 2, random),
                       .seed = 1 + std::uint64_t(round)};
    check_promises(problem);
    problem.topology = round % 2 == 0 ? tree({2, 3, 2}) : ring(9 + random.below(3), random);
    check_promises(problem);
    problem.objective = Objective::max_congestion;
    check_promises(problem);
  }
}

TEST_CASE("several ranks per place, and only some places") {
  Random random(43);
  MapProblem problem{.traffic = random_traffic(8, 0.5, random), .topology = tree({2, 2, 2})};
  problem.allowed = {Place(6), Place(1), Place(2), Place(5)};
  problem.ranks_per_place = 2;
  check_promises(problem);
  const Mapping identity = map_ranks(problem, "identity").mapping;
  CHECK(identity == Mapping({Place(6), Place(6), Place(1), Place(1), Place(2), Place(2), Place(5), Place(5)}));
  problem.objective = Objective::max_congestion;
  check_promises(problem);
}

TEST_CASE("larger problems, too") {
  Random random(44);
  MapProblem problem{.traffic = grid({4, 4, 2}, {1, 2, 3}, true), .topology = tree({3, 4, 3})};
  check_promises(problem);
  problem.objective = Objective::max_congestion;
  check_promises(problem);
  problem = {.traffic = random_traffic(20, 0.2, random), .topology = random_matrix(24, 1, random)};
  check_promises(problem);
}

TEST_CASE("a bound that may take all of the time leaves the search half of it") {
  Random random(45);
  const MapProblem problem{.traffic = random_traffic(30, 0.2, random), .topology = random_matrix(30, 1, random)};
  const MapOptions options{.time_limit = Seconds(100), .effort = 1e-4, .bound_time = Seconds(1000)};
  MapOptions usual = options;
  usual.bound_time.reset();
  const MappingResult found = map_ranks(problem, "auto", options);
  CHECK(found.cost < found.identity_cost);
  CHECK(found.mapping == map_ranks(problem, "auto", usual).mapping);
}

TEST_CASE("cyclic deals ranks to the outermost groups in turn") {
  const MapProblem problem{.traffic = grid({6}, {1}, false), .topology = tree({2, 4})};
  CHECK(map_ranks(problem, "cyclic").mapping == Mapping({Place(0), Place(4), Place(1), Place(5), Place(2), Place(6)}));
  const MapProblem flat{.traffic = grid({6}, {1}, false), .topology = tree({4}, 2)};
  CHECK(map_ranks(flat, "cyclic").mapping == Mapping({Place(0), Place(1), Place(2), Place(3), Place(0), Place(1)}));
}

TEST_CASE("a question that cannot be answered is refused") {
  const MapProblem crowded{.traffic = grid({64}, {1}, false), .topology = tree({4, 8})};
  CHECK(refusal(crowded).what == "traffic has 64 ranks, but 'tree' offers 32 places");
  CHECK(refusal(crowded).hint == "--ranks-per-place 2 lets 2 ranks share a place");
  CHECK(refusal(crowded).status == ExitStatus::bad_input);

  MapProblem problem{.traffic = grid({4}, {1}, false), .topology = tree({2, 2})};
  CHECK(refusal(problem, "tabo").what == "unknown mapper 'tabo', did you mean 'tabu'?");
  CHECK(refusal(problem, "tabo").status == ExitStatus::usage);
  problem.allowed = {Place(0), Place(9)};
  CHECK(refusal(problem).what == "'tree' has no place 9, only 0 to 3");
  problem.allowed = {Place(0), Place(0)};
  CHECK(refusal(problem).what == "place 0 is allowed twice");
  problem.allowed.clear();
  problem.topology = from_distances(std::vector<double>(16, 1.0), {1, 1, 1, 1});
  problem.objective = Objective::max_congestion;
  CHECK(refusal(problem).what == "'matrix' has no route from 'p' to 'p'");
}

TEST_CASE("a mapping of no traffic, of one rank, onto one place") {
  for (const char* mapper : {"auto", "exact", "tabu", "greedy", "identity", "cyclic", "random"}) {
    CAPTURE(mapper);
    const Traffic silent = Traffic::from_entries(3, {});
    CHECK(map_ranks({.traffic = silent, .topology = tree({2, 2})}, mapper).proven_optimal);
    const Traffic alone = Traffic::from_entries(1, {{Rank(0), Rank(0), Bytes(5)}});
    CHECK(map_ranks({.traffic = alone, .topology = tree({1})}, mapper).cost == 0);
    CHECK(map_ranks({.traffic = grid({3}, {1}, false), .topology = tree({1}, 3)}, mapper).proven_optimal);
  }
}

namespace {

/// A GPU between two others to which it has bonds, and nothing else: the other two do not reach each other.
Topology two_bonds() {
  TopologyBuilder builder("bonds");
  std::vector<VertexId> gpus;
  for (const char* name : {"GPU0", "GPU1", "GPU2"}) {
    gpus.push_back(builder.add_vertex({.kind = VertexKind::gpu, .name = name}));
    builder.add_place(PlaceKind::gpu, gpus.back());
  }
  for (const std::size_t other : {1U, 2U})
    builder.add_links({.from = gpus[0],
                       .to = gpus[other],
                       .kind = LinkKind::nvlink,
                       .bandwidth = gigabytes_per_second(25),
                       .source = "test"});
  return std::move(builder).build();
}

}  // namespace

TEST_CASE("places that do not all reach each other: a mapping onto some that do, nothing proven, or a refusal") {
  for (const char* mapper : {"auto", "greedy", "tabu", "exact"}) {
    CAPTURE(mapper);
    for (const Objective objective : {Objective::hop_bytes, Objective::predicted_time}) {
      MapProblem problem{.traffic = grid({2}, {1}, true), .topology = two_bonds()};
      problem.objective = objective;
      if (objective == Objective::predicted_time && std::string(mapper) == "exact") continue;
      const MappingResult found = map_ranks(problem, mapper);
      CHECK(std::isfinite(found.cost));
      CHECK_FALSE(found.proven_optimal);
      CHECK(found.lower_bound == 0);
    }
    if (std::string(mapper) == "auto") {  // rank i on place i is no mapping at all
      MapProblem apart{.traffic = grid({2}, {1}, true), .topology = two_bonds()};
      apart.allowed = {Place(1), Place(2), Place(0)};
      apart.objective = Objective::predicted_time;
      CHECK(std::isinf(map_ranks(apart, mapper).identity_cost));
    }
    const MapProblem larger{.traffic = grid({3}, {1}, true), .topology = two_bonds()};
    CHECK_THROWS_WITH_AS(map_ranks(larger, mapper),
                         "the usable places of 'bonds' do not all reach each other, the largest group found that does "
                         "is of 2 places; none has room for 3 ranks",
                         Error);
  }
}

TEST_CASE("a time that rests on the model's own rates says so") {
  TopologyBuilder builder("one switch");
  const VertexId above = builder.add_vertex({.kind = VertexKind::network_switch, .name = "s"});
  for (const char* name : {"a", "b", "c"}) {
    const VertexId host = builder.add_vertex({.kind = VertexKind::compute_node, .name = name});
    builder.add_links({.from = host, .to = above, .kind = LinkKind::network, .source = "test"});
    builder.add_place(PlaceKind::node, host);
  }
  MapProblem problem{.traffic = grid({3}, {1}, true), .topology = std::move(builder).build()};
  problem.objective = Objective::predicted_time;
  CHECK(map_ranks(problem, "auto").assumptions ==
        std::vector<std::string>{"network links of 12.5 GB/s where no source states it"});
  problem.objective = Objective::hop_bytes;
  CHECK(map_ranks(problem, "auto").assumptions.empty());
}
