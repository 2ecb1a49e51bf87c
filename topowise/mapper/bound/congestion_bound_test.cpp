// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/bound/congestion_bound.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>
#include <tests/fixtures/standing_clock.hpp>
#include <tests/paper_machines.hpp>

#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/mapper.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

double bound_of(const MapProblem& problem) {
  return congestion_bound(problem, Partners(problem.traffic));
}

MapProblem congested(Traffic traffic, Topology topology) {
  return {.traffic = std::move(traffic), .topology = std::move(topology), .objective = Objective::max_congestion};
}

Traffic all_to_all(std::size_t ranks, double bytes) {
  std::vector<TrafficEntry> entries;
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to)
      if (from != to) entries.push_back({.source = Rank(from), .destination = Rank(to), .bytes = Bytes(bytes)});
  }
  return Traffic::from_entries(ranks, std::move(entries));
}

/// Vertices joined at random by links of random rates. Their parents are random as well: routes do not depend on
/// parents.
Topology tangle(std::size_t places, Random& random) {
  TopologyBuilder builder("tangle");
  std::vector<VertexId> all;
  for (std::size_t i = 0; i < 2 * places; ++i) {
    Vertex vertex{.name = fmt::format("v{}", i)};
    if (i > 0 && random.below(4) > 0) vertex.parent = all[random.below(static_cast<std::uint32_t>(i))];
    all.push_back(builder.add_vertex(vertex));
    if (i == 0) continue;
    const VertexId other = all[random.below(static_cast<std::uint32_t>(i))];
    builder.add_links({.from = all.back(), .to = other, .bandwidth = gigabytes_per_second(1 + random.below(5))});
  }
  for (std::size_t i = 0; i < places; ++i)
    builder.add_place(PlaceKind::slot, all[places + i], 1 + static_cast<int>(random.below(2)));
  return std::move(builder).build();
}

}  // namespace

TEST_CASE("congestion bound: an all-to-all on a hierarchy, by hand") {
  // 8 ranks on 2 groups of 4 places; the links have 1 GB/s at the places and 0.5 GB/s at the groups. 16 pairs cross in
  // each direction: 1.6 GB at 0.5 GB/s. A place sends 0.7 GB at 1 GB/s.
  const MapProblem problem = congested(all_to_all(8, 1e8), tree({2, 4}));
  CHECK(bound_of(problem) == doctest::Approx(3.2));
  const MappingResult found = map_ranks(problem, "auto", without_limit({.effort = 1e-3}));
  CHECK(found.proven_optimal);
  CHECK(found.cost == doctest::Approx(3.2));
  // Two ranks on each of the four places of one group: 0.1 GB stay on each place, 1.2 GB leave it.
  MapProblem crowded = problem;
  crowded.ranks_per_place = 2;
  crowded.allowed = {Place(0), Place(1), Place(2), Place(3)};
  CHECK(bound_of(crowded) == doctest::Approx(1.2));
}

TEST_CASE("congestion bound: links carry whole messages") {
  // A ring of 8 on 4 groups of 2: in each direction 4 messages of 1 GB leave the groups, by 4 links of 0.5 GB/s.
  CHECK(bound_of(congested(grid({8}, {1e9}, true), tree({4, 2}))) == doctest::Approx(4));
  // Three chains of 4, joined by 16 messages of 1 GB, on 3 groups of 4: one of the three links carries six of them.
  CHECK(bound_of(congested(grid({3, 4}, {1e9, 4e9}, false), tree({3, 4}))) == doctest::Approx(12));
}

TEST_CASE("congestion bound: what one rank cannot keep in its node leaves by the links that lead out of it") {
  // Rank 0 sends 1 GB to each of 7 others. A node holds 4 ranks, joined by links of 1 GB/s. Each place has its own link
  // of 0.1 GB/s to the network: 4 messages leave by one such link.
  TopologyBuilder builder("nodes");
  const VertexId network = builder.add_vertex({.kind = VertexKind::network_switch, .name = "network"});
  for (int n = 0; n < 2; ++n) {
    const VertexId node = builder.add_vertex({.kind = VertexKind::compute_node, .name = "node", .parent = network});
    const VertexId bus = builder.add_vertex({.kind = VertexKind::nvswitch, .name = "bus", .parent = node});
    for (int g = 0; g < 4; ++g) {
      const VertexId gpu = builder.add_vertex({.kind = VertexKind::gpu, .name = "gpu", .parent = node});
      builder.add_links({.from = gpu, .to = bus, .bandwidth = gigabytes_per_second(1)});
      builder.add_links({.from = gpu, .to = network, .bandwidth = gigabytes_per_second(0.1)});
      builder.add_place(PlaceKind::gpu, gpu);
    }
  }
  std::vector<TrafficEntry> entries;
  for (std::size_t to = 1; to < 8; ++to)
    entries.push_back({.source = Rank(0), .destination = Rank(to), .bytes = Bytes(1e9)});
  const MapProblem problem = congested(Traffic::from_entries(8, std::move(entries)), std::move(builder).build());
  CHECK(bound_of(problem) == doctest::Approx(40));
  CHECK(map_ranks(problem, "auto", without_limit({.effort = 1e-3})).proven_optimal);
}

TEST_CASE("congestion bound: never above the optimum, wherever the links are") {
  Random random(71);
  int above_zero = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 3 + random.below(4);
    const Traffic traffic = random_traffic(ranks, 0.3 + 0.1 * (round % 5), random);
    const MapProblem problem = congested(traffic, round % 4 == 0   ? tree({2, 2, 2})
                                                  : round % 4 == 1 ? ring(6 + random.below(2), random)
                                                  : round % 4 == 2 ? testing::t2_machine()
                                                                   : tangle(6, random));
    const double bound = bound_of(problem);
    const double optimum = brute_force(problem);
    CHECK(bound <= optimum * (1 + 1e-12));
    CHECK(quick_lower_bound(problem) >= bound);
    if (bound > 0) ++above_zero;
  }
  CHECK(above_zero > 50);
}

TEST_CASE("congestion bound: nothing where a rate is not known or all ranks are on one place") {
  TopologyBuilder builder("unknown");
  const VertexId above = builder.add_vertex({.name = "switch"});
  for (int i = 0; i < 2; ++i) {
    const VertexId gpu = builder.add_vertex({.kind = VertexKind::gpu, .name = "gpu", .parent = above});
    builder.add_links({.from = gpu, .to = above});
    builder.add_place(PlaceKind::gpu, gpu);
  }
  CHECK(bound_of(congested(all_to_all(2, 1e8), std::move(builder).build())) == 0);
  MapProblem together = congested(all_to_all(4, 1e8), tree({4}));
  together.ranks_per_place = 4;
  CHECK(bound_of(together) == 0);
}
