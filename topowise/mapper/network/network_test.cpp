// SPDX-License-Identifier: BSD-3-Clause
// Halves of networks and of graphs, and mappings onto networks of which no table of all pairs is made.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/graph/make_network.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/network/graph_halves.hpp>
#include <topowise/mapper/network/network_mapping.hpp>
#include <topowise/mapper/problem/mapper_functions.hpp>

using namespace topowise;

namespace {

Topology network(const NetworkShape& shape) {
  return make_network("network", shape, {gigabytes_per_second(1), gigabytes_per_second(1)}, "test");
}

multilevel::Graph random_graph(int vertices, int edges, Random& random) {
  std::vector<TrafficEntry> entries;
  for (int i = 0; i < edges; ++i) {
    const std::uint32_t a = random.below(static_cast<std::uint32_t>(vertices));
    const std::uint32_t b = random.below(static_cast<std::uint32_t>(vertices));
    if (a != b) entries.push_back({Rank(a), Rank(b), Bytes(1.0 + random.below(9)), 1});
  }
  return multilevel::symmetric_graph(Traffic::from_entries(static_cast<std::size_t>(vertices), entries));
}

double cost_of_halves(const HalvingProblem& problem, const std::vector<std::uint8_t>& side) {
  double cost = 0;
  for (std::size_t v = 0; v < side.size(); ++v) {
    if (side[v] == 1) cost += problem.pull[v];
    for (const multilevel::Arc& arc : problem.graph->arcs_of(static_cast<multilevel::GuestVertex>(v)))
      if (side[v] == 0 && side[static_cast<std::size_t>(arc.to)] == 1) cost += arc.weight * problem.edge_cost;
  }
  return cost;
}

/// The least cost of all halves with `low` vertices on the low side.
double least_cost(const HalvingProblem& problem, std::size_t vertices, int low) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t set = 0; set < std::uint32_t{1} << vertices; ++set) {
    if (std::popcount(set) != low) continue;
    std::vector<std::uint8_t> side(vertices);
    for (std::size_t v = 0; v < vertices; ++v) side[v] = (set >> v & 1) != 0 ? 0 : 1;
    least = std::min(least, cost_of_halves(problem, side));
  }
  return least;
}

Traffic random_traffic(std::size_t ranks, std::size_t partners, Random& random) {
  std::vector<TrafficEntry> entries;
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t i = 0; i < partners; ++i) {
      const std::uint32_t other = random.below(static_cast<std::uint32_t>(ranks));
      if (other != r) entries.push_back({Rank(r), Rank(other), Bytes(1.0 + random.below(5)), 1});
    }
  }
  return Traffic::from_entries(ranks, std::move(entries));
}

}  // namespace

TEST_CASE("halves of small graphs are nearly the best of all, and as large as asked for") {
  Random random(3);
  double found = 0;
  double best = 0;
  for (int i = 0; i < 60; ++i) {
    const int vertices = 4 + static_cast<int>(random.below(9));
    const multilevel::Graph graph = random_graph(vertices, 2 * vertices, random);
    std::vector<double> pull;
    for (int v = 0; v < vertices; ++v) pull.push_back(random.below(2) == 0 ? 0 : random.below(9) - 4.0);
    const int low = static_cast<int>(random.below(static_cast<std::uint32_t>(vertices) + 1));
    const HalvingProblem problem{&graph, pull, 0.5 + random.below(3), low, low};
    const std::vector<std::uint8_t> side = halve(problem, 8, random);
    REQUIRE(std::ranges::count(side, std::uint8_t{0}) == low);
    const double least = least_cost(problem, static_cast<std::size_t>(vertices), low);
    const double cost = cost_of_halves(problem, side);
    REQUIRE(cost >= least - 1e-9);
    found += cost;
    best += least;
  }
  CHECK(found - best <= 0.02 * std::abs(best));
}

TEST_CASE("a grid of vertices is cut straight through") {
  std::vector<TrafficEntry> entries;
  constexpr std::size_t kSide = 32;
  for (std::size_t v = 0; v < kSide * kSide; ++v) {
    if (v % kSide + 1 < kSide) entries.push_back({Rank(v), Rank(v + 1), Bytes(1), 1});
    if (v + kSide < kSide * kSide) entries.push_back({Rank(v), Rank(v + kSide), Bytes(1), 1});
  }
  const multilevel::Graph graph = multilevel::symmetric_graph(Traffic::from_entries(kSide * kSide, entries));
  const std::vector<double> pull(kSide * kSide, 0);
  const HalvingProblem problem{&graph, pull, 1, kSide * kSide / 2, kSide * kSide / 2};
  Random random(1);
  CHECK(cost_of_halves(problem, halve(problem, 8, random)) <= 1.15 * kSide);
}

TEST_CASE("the places of a network fall into halves down to single places") {
  Random random(11);
  for (const NetworkShape& shape : {NetworkShape(GridShape{.sizes = {7, 4, 5}, .closed = true}),
                                    NetworkShape(GridShape{.sizes = {9}, .closed = false}),
                                    NetworkShape(DragonflyShape{.places = 3, .routers = 4, .groups = 5, .links = 2})}) {
    MapProblem problem{.traffic = random_traffic(40, 2, random), .topology = network(shape)};
    problem.ranks_per_place = 5;
    const std::optional<NetworkHalves> halves = NetworkHalves::find(problem);
    REQUIRE(halves);
    std::int64_t room = 0;
    std::size_t single = 0;
    for (const NetworkHalves::Node& node : halves->nodes()) {
      if (node.low == 0) {
        REQUIRE(node.end == node.first + 1);
        room += node.capacity;
        ++single;
        continue;
      }
      REQUIRE(halves->nodes()[node.low].first == node.first);
      REQUIRE(halves->nodes()[node.low].end == halves->nodes()[node.high].first);
      REQUIRE(halves->nodes()[node.high].end == node.end);
    }
    CHECK(single == halves->places().size());
    CHECK(room >= 40);
    CHECK(room <= 5 * 20 + 40);  // not many more than are needed: one plane at most
  }
}

TEST_CASE("no place has more places near it than is said") {
  Random random(5);
  for (int i = 0; i < 30; ++i) {
    NetworkShape shape;
    if (random.below(2) == 0) {
      shape = GridShape{.sizes = {1 + random.below(7), 1 + random.below(6), 1 + random.below(4)},
                        .closed = random.below(2) == 0};
    } else {
      DragonflyShape fly{.places = 1 + random.below(3), .routers = 1 + random.below(4), .groups = 1 + random.below(6)};
      fly.links = 1 + random.below(fly.routers);
      shape = fly;
    }
    const Topology machine = network(shape);
    std::map<int, std::size_t> said;
    for (const auto& [hops, count] : most_at_hops(shape)) said[hops] += count;
    for (std::size_t p = 0; p < machine.place_count(); ++p) {
      std::map<int, std::size_t> here;
      for (std::size_t q = 0; q < machine.place_count(); ++q)
        if (q != p) ++here[machine.path_class(Place(p), Place(q)).grade];
      std::size_t near = 0;
      std::size_t most = 0;
      for (int hops = 1; hops < 40; ++hops) {
        near += here[hops];
        most += said[hops];
        REQUIRE(near <= most);
      }
      REQUIRE(most == machine.place_count() - 1);
    }
  }
}

TEST_CASE("mappings onto large networks keep capacities, are never worse than the order, and stay above the bound") {
  Random random(17);
  const std::vector<NetworkShape> shapes{GridShape{.sizes = {11, 10, 12}, .closed = true},
                                         GridShape{.sizes = {40, 30}, .closed = false},
                                         DragonflyShape{.places = 4, .routers = 8, .groups = 40, .links = 2}};
  for (const NetworkShape& shape : shapes) {
    for (const std::size_t ranks : {std::size_t{300}, std::size_t{1200}, std::size_t{2300}}) {
      MapProblem problem{.traffic = random_traffic(ranks, 3, random), .topology = network(shape)};
      problem.ranks_per_place = ranks > 1200 ? 2 : 1;
      REQUIRE(is_large_network(problem));
      const MapOptions options{.time_limit = Seconds(1000), .threads = 1};
      const MapperAnswer answer = map_multilevel_fast(problem, Budget(options));
      const std::vector<std::int64_t> left = capacity_left(problem, answer.mapping);
      CHECK(std::ranges::all_of(left, [](std::int64_t here) { return here >= 0; }));
      CHECK(answer.cost == doctest::Approx(cost_of(problem, answer.mapping)));
      CHECK(answer.cost < cost_of(problem, fill_in_order(problem)));
      CHECK(lower_bound(problem, Budget(options)) <= answer.cost);
      CHECK(map_multilevel_fast(problem, Budget(options)).mapping == answer.mapping);
    }
  }
}

TEST_CASE("a stencil that fits into a large torus is laid into it without detours, also in another order") {
  Random random(23);
  const std::size_t ranks = 24 * 8 * 10;
  std::vector<std::uint32_t> number(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) number[r] = r;
  random.shuffle(std::span(number));
  std::vector<TrafficEntry> entries;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const std::uint32_t x = r / 80;
    const std::uint32_t y = r / 10 % 8;
    const std::uint32_t z = r % 10;
    const auto send = [&](std::uint32_t to) { entries.push_back({Rank(number[r]), Rank(number[to]), Bytes(8), 1}); };
    if (x + 1 < 24) send(r + 80);
    if (y + 1 < 8) send(r + 10);
    if (z + 1 < 10) send(r + 1);
  }
  MapProblem problem{.traffic = Traffic::from_entries(ranks, entries),
                     .topology = network(GridShape{.sizes = {10, 24, 8}, .closed = true})};
  const MappingResult result = map_ranks(problem, "auto", {.time_limit = Seconds(1000), .threads = 1});
  CHECK(result.cost == problem.traffic.total_bytes().value());
  CHECK(result.proven_optimal);
}
