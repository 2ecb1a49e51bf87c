// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include <tests/fixtures/machines.hpp>
#include <tests/paper_machines.hpp>

#include <topowise/base/error.hpp>
#include <topowise/mapper/bound/congestion_bound.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/objective/predicted_time.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

MapOptions options(double effort = 0.0002) {
  return {.time_limit = Seconds(100), .effort = effort};
}

MapProblem by_time(Traffic traffic, Topology topology) {
  return {.traffic = std::move(traffic), .topology = std::move(topology), .objective = Objective::predicted_time};
}

/// Eight boards of two GPUs, two boards on each switch, two switches on each root complex: 16 places like those of a
/// K80 node.
Topology sixteen_gpus() {
  testing::MachineUnderTest machine("16 GPUs");
  std::vector<VertexId> sockets;
  for (int socket = 0; socket < 2; ++socket) {
    sockets.push_back(machine.root(VertexKind::package, "socket " + std::to_string(socket)));
    const VertexId rc = machine.below(sockets.back(), VertexKind::root_complex, "RC" + std::to_string(socket),
                                      LinkKind::host, gigabytes_per_second(100));
    for (int i = 0; i < 2; ++i) {
      const VertexId plx = machine.below(rc, VertexKind::pcie_switch, "S" + std::to_string(2 * socket + i));
      machine.board(plx);
      machine.board(plx);
    }
  }
  machine.builder().add_links(
      {.from = sockets[0], .to = sockets[1], .kind = LinkKind::inter_socket, .bandwidth = gigabytes_per_second(10)});
  return std::move(machine).build();
}

Traffic halo_of(std::size_t round, std::size_t ranks) {
  if (ranks == 16) return grid(round % 2 == 0 ? std::vector<int>{2, 2, 4} : std::vector<int>{4, 4}, {1, 2, 3}, false);
  return grid(round % 2 == 0 ? std::vector<int>{2, 2, 2} : std::vector<int>{2, 4}, {1, 1, 4}, false);
}

void check_not_worse(const MapProblem& problem) {
  const MappingResult found = map_ranks(problem, "auto", options());
  PredictedTime time(problem.traffic, problem.topology);
  CHECK(found.cost == doctest::Approx(time(found.mapping).value()));
  CHECK(found.lower_bound <= found.cost);
  CHECK((!found.proven_optimal || found.lower_bound == doctest::Approx(found.cost)));
  MapProblem hop_bytes = problem;
  hop_bytes.objective = Objective::hop_bytes;
  CHECK(found.cost <= time(map_ranks(hop_bytes, "auto", options()).mapping).value() * (1 + 1e-12));
  CHECK(found.cost <= found.identity_cost);
  CHECK(map_ranks(problem, "auto", options()).mapping == found.mapping);  // the same seed gives the same result
}

}  // namespace

TEST_CASE("predicted-time is never slower than hop-bytes: halos") {
  for (std::size_t round = 0; round < 2; ++round) {
    CAPTURE(round);
    check_not_worse(by_time(halo_of(round, 8), testing::t2_machine()));
    check_not_worse(by_time(halo_of(round, 16), sixteen_gpus()));
  }
}

TEST_CASE("predicted-time is never slower than hop-bytes for the same time limit, constraints and sharing included") {
  Random random(52);
  for (int round = 0; round < 16; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 3 + random.below(10);
    MapProblem problem = by_time(random_traffic(ranks, 0.2 + 0.5 * random.unit(), random),
                                 round % 2 == 0 ? sixteen_gpus() : tree({2, 2, 3}));
    if (round % 4 == 1) problem.ranks_per_place = 2;
    if (round % 4 == 2) problem.fixed = {{Rank(1), Place(3)}};
    if (round % 4 == 3) problem.imbalance = 0.5;
    MapProblem by_hop_bytes = problem;
    by_hop_bytes.objective = Objective::hop_bytes;
    PredictedTime time(problem.traffic, problem.topology);
    for (const double effort : {1e-5, 2e-4}) {
      const MappingResult nearest = map_ranks(by_hop_bytes, "auto", options(effort));
      const MappingResult found = map_ranks(problem, "auto", options(effort));
      const double of_nearest = time(nearest.mapping).value();
      CHECK(found.cost <= of_nearest * (1 + 1e-9));
      REQUIRE(found.hop_bytes);
      CHECK(found.hop_bytes->cost == doctest::Approx(evaluate(Objective::hop_bytes, problem.traffic, problem.topology,
                                                              found.mapping, problem.metric)));
      CHECK(found.hop_bytes->identity_cost == doctest::Approx(nearest.identity_cost));
      CHECK(found.hop_bytes->lower_bound == doctest::Approx(nearest.lower_bound));
      // Of equal times, the one of fewer hop-bytes.
      if (found.cost >= of_nearest * (1 - 1e-9)) CHECK(found.hop_bytes->cost <= nearest.cost * (1 + 1e-9));
    }
  }
}

TEST_CASE("predicted-time: among all mappings of the least time, the one of fewest hop-bytes") {
  Random random(57);
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    // The inner links are so fast that most mappings take equally long.
    const MapProblem problem = by_time(random_traffic(5, 0.3, random), round % 2 == 0 ? tree({2, 3}) : tree({6}));
    PredictedTime time(problem.traffic, problem.topology);
    std::vector<std::uint32_t> order(problem.topology.place_count());
    std::iota(order.begin(), order.end(), 0U);
    double least = std::numeric_limits<double>::infinity();
    double fewest = std::numeric_limits<double>::infinity();
    do {
      const Mapping mapping(std::vector<Place>(order.begin(), order.begin() + 5));
      const double now = time(mapping).value();
      const double hops = evaluate(Objective::hop_bytes, problem.traffic, problem.topology, mapping, problem.metric);
      if (now < least * (1 - 1e-9)) {
        least = now;
        fewest = hops;
      } else if (now <= least * (1 + 1e-9)) {
        fewest = std::min(fewest, hops);
      }
    } while (std::ranges::next_permutation(order).found);
    const MappingResult found = map_ranks(problem, "auto", options(0.01));
    CHECK(found.proven_optimal);
    CHECK(found.cost == doctest::Approx(least).epsilon(1e-9));
    REQUIRE(found.hop_bytes);
    CHECK(found.hop_bytes->cost == doctest::Approx(fewest));
  }
}

TEST_CASE(
    "predicted-time by assumed rates: of all mappings that are worth their hop-bytes the fastest, and what it spares") {
  Random random(58);
  std::size_t spared = 0;
  std::size_t taken = 0;
  for (int round = 0; round < 12; ++round) {
    CAPTURE(round);
    MapProblem problem =
        by_time(random_traffic(5, 0.3 + 0.05 * round, random), round % 3 == 0 ? tree({2, 4}) : testing::t2_machine());
    problem.spares_hop_bytes = true;
    MapProblem by_hop_bytes = problem;
    by_hop_bytes.objective = Objective::hop_bytes;
    PredictedTime time(problem.traffic, problem.topology);
    const auto hops_of = [&](const Mapping& mapping) {
      return evaluate(Objective::hop_bytes, problem.traffic, problem.topology, mapping, problem.metric);
    };
    const Mapping nearest = map_ranks(by_hop_bytes, "auto", options(0.01)).mapping;
    const double nearest_time = time(nearest).value();
    const double nearest_hops = hops_of(nearest);
    std::vector<std::uint32_t> order(problem.topology.place_count());
    std::iota(order.begin(), order.end(), 0U);
    double fastest = std::numeric_limits<double>::infinity();
    double fastest_hops = std::numeric_limits<double>::infinity();
    double best = std::numeric_limits<double>::infinity();  // of those that may be taken; the first one is the identity
    do {
      const Mapping mapping(std::vector<Place>(order.begin(), order.begin() + 5));
      const double now = time(mapping).value();
      const double hops = hops_of(mapping);
      const bool is_identity = best == std::numeric_limits<double>::infinity();
      const double added = hops / nearest_hops - 1;  // as shares of what the mapping for hop-bytes has and takes
      const double gained = 1 - now / nearest_time;
      if (is_identity || added <= gained + 1e-9) best = std::min(best, now);
      if (now < fastest * (1 - 1e-9)) fastest_hops = hops;
      if (now < fastest * (1 + 1e-9)) fastest_hops = std::min(fastest_hops, hops);
      fastest = std::min(fastest, now);
    } while (std::ranges::next_permutation(order).found);
    const MappingResult found = map_ranks(problem, "auto", options(0.01));
    CHECK(found.cost == doctest::Approx(best).epsilon(1e-9));
    const bool is_fastest = best <= fastest * (1 + 1e-9);
    CHECK(found.proven_optimal == is_fastest);
    CHECK(found.lower_bound <= fastest * (1 + 1e-9));
    REQUIRE(found.spared.has_value() == !is_fastest);
    if (found.spared) {
      CHECK(found.spared->cost == doctest::Approx(fastest).epsilon(1e-9));
      CHECK(found.spared->hop_bytes == doctest::Approx(fastest_hops).epsilon(1e-9));
    }
    spared += is_fastest ? 0 : 1;
    taken += best < nearest_time * (1 - 1e-9) ? 1 : 0;
  }
  CHECK(spared > 0);
  CHECK(taken > 0);
}

TEST_CASE("predicted-time with fixed ranks: the best of all arrangements that keep them") {
  Random random(77);
  for (int round = 0; round < 4; ++round) {
    CAPTURE(round);
    MapProblem problem = by_time(random_traffic(5, 0.6, random), testing::t2_machine());
    problem.fixed = {{Rank(3), Place(random.below(4))}, {Rank(0), Place(4 + random.below(4))}};
    const MappingResult found = map_ranks(problem, "auto", options());
    PredictedTime time(problem.traffic, problem.topology);
    double least = found.identity_cost * 100;
    std::vector<std::uint32_t> order(problem.topology.place_count());
    std::iota(order.begin(), order.end(), 0U);
    do {
      std::vector<Place> places(order.begin(), order.begin() + 5);
      if (places[3] != problem.fixed[0].place || places[0] != problem.fixed[1].place) continue;
      least = std::min(least, time(Mapping(places)).value());
    } while (std::ranges::next_permutation(order).found);
    CHECK(found.cost == doctest::Approx(least));
    for (const Mapper& mapper : mappers()) {
      if (mapper.name == "scotch") continue;
      CAPTURE(mapper.name);
      const MappingResult other = map_ranks(problem, mapper.name, options());
      for (const FixedRank& fixed : problem.fixed) CHECK(other.mapping[fixed.rank] == fixed.place);
      CHECK(other.cost >= least * (1 - 1e-12));
    }
  }
}

TEST_CASE("predicted-time is never slower than hop-bytes: random traffic") {
  Random random(51);
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 3 + random.below(6);
    check_not_worse(by_time(random_traffic(ranks, 0.3, random), testing::t2_machine()));
    check_not_worse(by_time(random_traffic(4 + ranks, 0.2, random), sixteen_gpus()));
  }
}

TEST_CASE("predicted-time: small problems are proven, and the proof is right") {
  Random random(52);
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    const MapProblem problem = by_time(random_traffic(5, 0.5, random), testing::t2_machine());
    // The effort is enough for 8! / 3! arrangements.
    const MappingResult found = map_ranks(problem, "auto", options(0.01));
    CHECK(found.proven_optimal);
    PredictedTime time(problem.traffic, problem.topology);
    std::vector<std::size_t> order{0, 1, 2, 3, 4, 5, 6, 7};
    double best = found.identity_cost;
    do {
      std::vector<Place> places;
      for (std::size_t r = 0; r < 5; ++r) places.emplace_back(order[r]);
      best = std::min(best, time(Mapping(places)).value());
      std::reverse(order.begin() + 5, order.end());  // skips the other orders of the free places
    } while (std::ranges::next_permutation(order).found);
    CHECK(found.cost == doctest::Approx(best));
  }
}

TEST_CASE("predicted-time: several ranks per place, only some places, and every mapper") {
  Random random(53);
  MapProblem problem = by_time(random_traffic(8, 0.5, random), testing::t2_machine());
  problem.allowed = {Place(6), Place(1), Place(2), Place(5)};
  problem.ranks_per_place = 2;
  for (const char* mapper : {"auto", "tabu", "multilevel", "greedy", "identity", "cyclic", "random"}) {
    CAPTURE(mapper);
    const MappingResult found = map_ranks(problem, mapper, options());
    for (const Place place : problem.allowed) CHECK(std::ranges::count(found.mapping.places(), place) == 2);
    CHECK(found.lower_bound <= found.cost);
    CHECK(found.objective == "predicted-time");
  }
  CHECK(map_ranks(problem, "identity", options()).mapping ==
        Mapping({Place(6), Place(6), Place(1), Place(1), Place(2), Place(2), Place(5), Place(5)}));
}

TEST_CASE("predicted-time: the order of a rank's messages can be worth more than hop-bytes") {
  // Partners on two boards exchange at the same time: hop-bytes sees only which ranks are near.
  const MapProblem problem = by_time(grid({2, 4}, {1, 1}, false), testing::t2_machine());
  MapProblem hop_bytes = problem;
  hop_bytes.objective = Objective::hop_bytes;
  PredictedTime time(problem.traffic, problem.topology);
  CHECK(map_ranks(problem, "auto", options()).cost <
        0.95 * time(map_ranks(hop_bytes, "auto", options()).mapping).value());
}

TEST_CASE("predicted-time: the bound of what must cross is never above what is found") {
  Random random(54);
  for (int round = 0; round < 12; ++round) {
    CAPTURE(round);
    const Traffic traffic = random_traffic(5, 0.6, random);
    const MapProblem problem = by_time(traffic, round % 2 == 0 ? testing::t2_machine() : tree({2, 2, 2}));
    PredictedTime time(problem.traffic, problem.topology);
    const double bound = congestion_bound(problem, Partners(problem.traffic), time.link_limits());
    CHECK(bound > 0);
    CHECK(bound <= map_ranks(problem, "auto", options(0.01)).cost * (1 + 1e-9));
  }
  // Two ranks on two places of a switch send one message each way.
  const MapProblem pair = by_time(grid({2}, {1e9}, false), tree({2}));
  CHECK(congestion_bound(pair, Partners(pair.traffic), PredictedTime(pair.traffic, pair.topology).link_limits()) ==
        doctest::Approx(1));
}

TEST_CASE("predicted-time: a limit that the prediction of the identity takes is over, and nothing else is predicted") {
  class SlowClock final : public Clock {
   public:
    [[nodiscard]] Seconds now() const override { return Seconds(looks_++); }
    mutable int looks_ = 0;
  };
  Random random(54);
  MapProblem problem = by_time(random_traffic(600, 0.01, random), testing::t2_machine());
  problem.ranks_per_place = 75;
  const SlowClock clock;
  const MappingResult found =
      map_ranks(problem, "auto", {.time_limit = Seconds(0.5), .bound_time = Seconds(0), .clock = &clock});
  CHECK(found.mapping == fill_in_order(problem));
  CHECK(found.cost == found.identity_cost);
  CHECK(clock.looks_ < 10);
}

TEST_CASE("predicted-time: places that nothing connects are refused") {
  MapProblem problem = by_time(grid({4}, {1}, false), from_distances(std::vector<double>(16, 1.0), {1, 1, 1, 1}));
  CHECK_THROWS_AS((void)map_ranks(problem), Error);
}
