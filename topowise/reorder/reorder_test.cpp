// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/reorder.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>
#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/reorder/load_balance.hpp>
#include <topowise/reorder/virtual_topology.hpp>
#include <topowise/topology_source/synthetic/tree.hpp>

using namespace topowise;

namespace {

std::vector<std::string> block(std::size_t hosts, std::size_t each) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < hosts * each; ++i) names.push_back(fmt::format("h{}", i / each));
  return names;
}

std::vector<std::string> cyclic(std::size_t hosts, std::size_t each) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < hosts * each; ++i) names.push_back(fmt::format("h{}", i % hosts));
  return names;
}

/// The cost of an answer, computed from the process that plays each vertex.
double cost_of(const Traffic& graph, const JobMachine& machine, const Reordering& answer) {
  std::vector<Place> places;
  for (const std::size_t process : answer.process_of_vertex) places.push_back(machine.place_of_process[process]);
  return hop_bytes(graph, machine.topology, Mapping(std::move(places)), Metric::distance);
}

void check_valid(const Traffic& graph, const JobMachine& machine, const Reordering& answer) {
  REQUIRE(answer.process_of_vertex.size() == graph.ranks());
  std::vector<std::size_t> sorted = answer.process_of_vertex;
  std::ranges::sort(sorted);
  CHECK(std::ranges::adjacent_find(sorted) == sorted.end());
  CHECK(sorted.back() < machine.place_of_process.size());
  CHECK(answer.cost <= answer.cost_before);
  CHECK(cost_of(graph, machine, answer) == doctest::Approx(answer.cost));
}

Traffic torus(std::vector<int> extents) {
  const auto periodic = std::make_unique<bool[]>(extents.size());
  std::fill_n(periodic.get(), extents.size(), true);
  return cartesian_traffic(extents, {periodic.get(), extents.size()});
}

}  // namespace

TEST_CASE("pairs of ranks that are far apart come together on a host") {
  std::vector<WeightedEdge> edges;
  for (int rank = 0; rank < 8; ++rank) edges.push_back({rank, (rank + 4) % 8, 1});
  const Traffic graph = edge_traffic(8, edges);
  const JobMachine machine = equal_hosts(block(4, 2));
  const Reordering answer = reorder(graph, machine);
  check_valid(graph, machine, answer);
  CHECK(answer.cost_before == 8);
  CHECK(answer.cost == 0);
  CHECK(answer.proven_optimal);
}

TEST_CASE("an order that is good already stays") {
  std::vector<WeightedEdge> edges;
  for (int rank = 0; rank < 8; ++rank) edges.push_back({rank, (rank + 4) % 8, 1});
  const Reordering answer = reorder(edge_traffic(8, edges), equal_hosts(cyclic(4, 2)));
  CHECK(answer.trivial());
  CHECK(answer.proven_optimal);
}

TEST_CASE("a vertex stays with its process where its host stays the same") {
  const Traffic graph = torus({4, 4});
  const JobMachine machine = equal_hosts(block(4, 4));
  const Reordering answer = reorder(graph, machine);
  check_valid(graph, machine, answer);
  for (std::size_t vertex = 0; vertex < 16; ++vertex) {
    const std::size_t process = answer.process_of_vertex[vertex];
    if (machine.place_of_process[process] == machine.place_of_process[vertex]) CHECK(process == vertex);
  }
}

TEST_CASE("one host, no edges, and fewer vertices than processes") {
  CHECK(reorder(torus({4, 2}), equal_hosts(block(1, 8))).trivial());
  CHECK(reorder(edge_traffic(4, {}), equal_hosts(block(2, 2))).trivial());
  const std::array<WeightedEdge, 2> edges{{{0, 1, 1}, {2, 3, 1}}};
  const Traffic graph = edge_traffic(4, edges);
  const JobMachine machine = equal_hosts(cyclic(3, 2));
  const Reordering answer = reorder(graph, machine);
  check_valid(graph, machine, answer);
  CHECK(answer.cost == 0);
}

namespace {

/// Processes bound to processors of one package each, in turn over `packages`.
std::vector<NodePart> packages_in_turn(std::size_t processes, std::size_t packages) {
  std::vector<NodePart> parts(processes);
  for (std::size_t process = 0; process < processes; ++process)
    parts[process].number[0] = static_cast<std::int16_t>(process % packages);
  return parts;
}

Traffic pairs(std::size_t ranks, std::size_t apart) {
  std::vector<WeightedEdge> edges;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    edges.push_back({static_cast<std::int32_t>(rank), static_cast<std::int32_t>((rank ^ apart)), 1});
  return edge_traffic(ranks, edges);
}

}  // namespace

TEST_CASE("processes that are bound to the packages of one host") {
  JobMachine machine = equal_hosts(block(1, 8));
  machine.part_of_process = packages_in_turn(8, 2);
  const Traffic graph = pairs(8, 1);
  for (const bool search : {false, true}) {
    const Reordering answer = search ? reorder(graph, machine) : reorder_fast(graph, machine);
    check_valid(graph, machine, answer);
    CHECK(answer.cost_before == 0);
    CHECK(answer.inside_before == 8);
    CHECK(answer.inside == 0);
    for (std::size_t vertex = 0; vertex < 8; ++vertex)
      CHECK(answer.process_of_vertex[vertex] % 2 == answer.process_of_vertex[vertex ^ 1] % 2);
  }
  CHECK(reorder_fast(pairs(8, 2), machine).trivial());  // each pair already shares a package
  machine.part_of_process = packages_in_turn(8, 1);
  CHECK(reorder_fast(graph, machine).trivial());
  machine.part_of_process = packages_in_turn(8, 8);  // all are equally far from each other
  CHECK(reorder_fast(graph, machine).trivial());
}

TEST_CASE("no byte between hosts is traded for any inside them") {
  std::vector<WeightedEdge> edges;
  for (int rank = 0; rank < 16; ++rank) {
    edges.push_back({rank, (rank + 8) % 16, 1});
    edges.push_back({rank, rank ^ 1, 1});
  }
  const Traffic graph = edge_traffic(16, edges);
  JobMachine machine = equal_hosts(block(4, 4));
  const Reordering hosts = reorder_fast(graph, machine);
  machine.part_of_process = packages_in_turn(16, 2);
  const Reordering both = reorder_fast(graph, machine);
  check_valid(graph, machine, both);
  CHECK(both.cost == hosts.cost);
  CHECK(both.inside <= both.inside_before);
  const auto host_of = [&](const Reordering& answer, std::size_t vertex) {
    return machine.place_of_process[answer.process_of_vertex[vertex]];
  };
  for (std::size_t vertex = 0; vertex < 16; ++vertex) CHECK(host_of(both, vertex) == host_of(hosts, vertex));
}

TEST_CASE("hosts of which only some are bound, and fewer vertices than processes") {
  JobMachine machine = equal_hosts(block(2, 6));
  machine.part_of_process = packages_in_turn(12, 2);
  for (std::size_t process = 6; process < 12; ++process) machine.part_of_process[process] = {};
  const Traffic graph = pairs(10, 1);
  const Reordering answer = reorder_fast(graph, machine);
  check_valid(graph, machine, answer);
  CHECK(answer.cost == 0);
  CHECK(answer.inside_before == 6);
  // Three pairs are on packages of three processes each.
  CHECK(answer.inside == 2);
  for (std::size_t vertex = 6; vertex < 10; ++vertex) CHECK(answer.process_of_vertex[vertex] == vertex);
}

TEST_CASE("the parts of a host: the larger what two share, the farther they are") {
  // Two packages of two L3 caches each. Each process has an L2 cache of its own, which says nothing.
  std::vector<NodePart> parts;
  for (std::int16_t process = 0; process < 8; ++process)
    parts.push_back({{static_cast<std::int16_t>(process / 4), NodePart::kAnywhere,
                      static_cast<std::int16_t>(process / 2), process}});
  const JobMachine host = parts_of_host(parts);
  CHECK(host.topology.place_count() == 4);
  const auto distance = [&](std::size_t a, std::size_t b) {
    return host.topology.distance(host.place_of_process[a], host.place_of_process[b]);
  };
  CHECK(distance(0, 1) == 0);
  CHECK(distance(0, 2) == 1);
  CHECK(distance(0, 4) == 2);
  CHECK(host.topology.place(Place(0)).capacity == 2);
  CHECK(parts_of_host(std::vector<NodePart>(3)).topology.place_count() == 1);
}

TEST_CASE("a described cluster: its distances count, its hosts are found by their names") {
  TopologyBuilder builder("two switches");
  std::array<VertexId, 2> switches{builder.add_vertex({.kind = VertexKind::network_switch, .name = "s0"}),
                                   builder.add_vertex({.kind = VertexKind::network_switch, .name = "s1"})};
  builder.add_links({.from = switches[0], .to = switches[1], .kind = LinkKind::network, .source = "test"});
  for (int host = 0; host < 4; ++host) {
    const VertexId vertex =
        builder.add_vertex({.kind = VertexKind::compute_node, .name = fmt::format("h{}.cluster.org", host)});
    builder.add_links({.from = vertex,
                       .to = switches[static_cast<std::size_t>(host) / 2],
                       .kind = LinkKind::network,
                       .source = "test"});
    builder.add_place(PlaceKind::node, vertex);
  }
  const Topology cluster = std::move(builder).build();
  const std::vector<std::string> hosts{"h0", "h2", "h1", "h3"};  // ranks go in turn over the switches
  const JobMachine machine = described_hosts(cluster, hosts);
  const Traffic graph = torus({4});
  const Reordering answer = reorder(graph, machine);
  check_valid(graph, machine, answer);
  CHECK(answer.cost < answer.cost_before);
  CHECK(reorder(graph, equal_hosts(hosts)).trivial());

  const std::vector<std::string> others{"h0", "x7", "x8", "h3"};
  try {
    (void)described_hosts(cluster, others);
    FAIL("hosts that are not there");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "'two switches' does not know 2 hosts of the job: x7, x8");
  }
  CHECK_THROWS_WITH_AS((void)described_hosts(cluster, std::vector<std::string>{"h0", "h1", "h0.cluster.org"}),
                       "'two switches' has the same entry for two hosts of the job: h0 and h0.cluster.org", Error);
}

TEST_CASE("processes of a host are on its places in order") {
  const Topology node = read_synthetic_tree("2:2");
  const JobMachine machine =
      described_hosts(node, std::vector<std::string>{node.vertex_of(Place(2)).name, node.vertex_of(Place(2)).name});
  CHECK(machine.place_of_process == std::vector<Place>{Place(2), Place(2)});
  CHECK(machine.topology.place(Place(2)).capacity == 2);
}

TEST_CASE("random graphs and hosts: a valid answer that is never worse, the same every time") {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t processes = 2 + random.below(14);
    const std::uint32_t vertices = 1 + random.below(processes);
    std::vector<std::string> hosts;
    for (std::uint32_t p = 0; p < processes; ++p) hosts.push_back(fmt::format("h{}", random.below(4)));
    std::vector<WeightedEdge> edges;
    for (std::uint32_t e = random.below(40); e > 0; --e)
      edges.push_back({static_cast<std::int32_t>(random.below(vertices)),
                       static_cast<std::int32_t>(random.below(vertices)), static_cast<double>(random.below(5))});
    const Traffic graph = edge_traffic(vertices, edges);
    const JobMachine machine = equal_hosts(hosts);
    const Reordering answer = reorder(graph, machine);
    check_valid(graph, machine, answer);
    CHECK(reorder(graph, machine).process_of_vertex == answer.process_of_vertex);
    const Reordering fast = reorder_fast(graph, machine);
    check_valid(graph, machine, fast);
    CHECK(reorder_fast(graph, machine).process_of_vertex == fast.process_of_vertex);
    CHECK(fast.cost >= answer.cost);
    CHECK(fast.cost <= 1.25 * answer.cost + 1e-9);
    if (fast.proven_optimal) CHECK(fast.cost == answer.cost);
  }
}

TEST_CASE("a time limit that is over at once costs nothing against no limit at all") {
  const Traffic graph = torus({4, 4, 2});
  const JobMachine machine = equal_hosts(cyclic(4, 8));
  const Reordering fast = reorder(graph, machine, std::nullopt);
  REQUIRE(fast.cost < fast.cost_before);
  CHECK(reorder(graph, machine, std::optional(MapOptions{.time_limit = Seconds(1e-9)})).cost <= fast.cost);
}

TEST_CASE("the fast answer for grids and rings is not above that of a long search") {
  const auto ring = [](std::int32_t n) {
    std::vector<WeightedEdge> edges;
    for (std::int32_t v = 0; v < n; ++v) {
      for (const std::int32_t other : {(v + 1) % n, (v + n - 1) % n, (v + n / 2) % n}) edges.push_back({v, other, 1});
    }
    return edge_traffic(static_cast<std::size_t>(n), edges);
  };
  for (const Traffic& graph : {ring(16), ring(32), torus({8, 4}), torus({4, 4, 2}), torus({2, 2, 2, 2, 2})}) {
    for (const auto& hosts : {block(4, graph.ranks() / 4), cyclic(4, graph.ranks() / 4)}) {
      const JobMachine machine = equal_hosts(hosts);
      CHECK(reorder_fast(graph, machine).cost <= reorder(graph, machine, MapOptions{.time_limit = Seconds(2)}).cost);
    }
  }
}

namespace {

/// Two switches of two hosts each, as a tree.
JobMachine two_switches(const std::vector<std::string>& host_of_process) {
  TopologyBuilder builder("two switches");
  std::array<VertexId, 2> switches{builder.add_vertex({.kind = VertexKind::network_switch, .name = "s0"}),
                                   builder.add_vertex({.kind = VertexKind::network_switch, .name = "s1"})};
  builder.add_links({.from = switches[0], .to = switches[1], .kind = LinkKind::network, .source = "test"});
  for (std::size_t host = 0; host < 4; ++host) {
    const VertexId vertex = builder.add_vertex({.kind = VertexKind::compute_node, .name = fmt::format("h{}", host)});
    builder.add_links({.from = vertex, .to = switches[host / 2], .kind = LinkKind::network, .source = "test"});
    builder.add_place(PlaceKind::node, vertex);
  }
  return described_hosts(std::move(builder).build(), host_of_process);
}

/// Bytes between hosts of different switches.
double across(const Traffic& graph, const JobMachine& machine, const std::vector<std::size_t>& process_of_vertex) {
  double sum = 0;
  for (const TrafficEntry& entry : graph.entries()) {
    const auto far = [&](Rank rank) { return machine.place_of_process[process_of_vertex[rank.index()]].index() / 2; };
    if (far(entry.source) != far(entry.destination)) sum += entry.bytes.value();
  }
  return sum;
}

std::vector<std::size_t> in_order(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

}  // namespace

TEST_CASE("a grid whose faces differ stays where only edges that weigh alike would gain") {
  const std::array extents{2, 4};
  const std::array open{false, false};
  const JobMachine machine = two_switches(block(4, 2));
  CHECK(!reorder_fast(cartesian_traffic(extents, open), machine).trivial());  // 20 -> 16
  const Reordering answer = reorder_fast(cut_of_a_cube(extents, open), machine);
  CHECK(answer.trivial());
  CHECK(answer.cost == answer.cost_before);
  CHECK(answer.alike == answer.alike_before);
}

TEST_CASE("a grid gains by both views, or its ranks stay") {
  const std::array<std::array<int, 3>, 7> shapes{
      {{2, 4, 1}, {4, 2, 1}, {8, 1, 1}, {4, 2, 2}, {2, 2, 4}, {1, 8, 2}, {16, 2, 1}}};
  int moved = 0;
  int stayed = 0;
  for (const auto& extents : shapes) {
    for (const unsigned mask : {0U, 7U}) {
      const std::array<bool, 3> periodic{mask != 0, mask != 0, mask != 0};
      const VertexTraffic graph = cut_of_a_cube(extents, periodic);
      const std::size_t each = graph.likely.ranks() / 4;
      for (const auto& hosts : {block(4, each), cyclic(4, each)}) {
        for (const JobMachine& machine : {equal_hosts(hosts), two_switches(hosts)}) {
          const Reordering answer = reorder_fast(graph, machine);
          check_valid(graph.likely, machine, answer);
          ++(answer.trivial() ? stayed : moved);
          const Traffic alike = cartesian_traffic(extents, periodic);
          Reordering as_before = answer;
          as_before.process_of_vertex = in_order(graph.likely.ranks());
          CHECK(cost_of(alike, machine, answer) <= cost_of(alike, machine, as_before));
          if (!answer.trivial()) CHECK(answer.cost <= 0.99 * answer.cost_before);
          if (machine.equally_far) continue;
          for (const Traffic& view : {graph.likely, alike})
            CHECK(across(view, machine, answer.process_of_vertex) <=
                  across(view, machine, as_before.process_of_vertex));
        }
      }
    }
  }
  CHECK(moved > 5);
  CHECK(stayed > 5);
}

TEST_CASE("a gain of less than a hundredth moves nobody") {
  const auto heavy = [](double extra) {
    // Pairs 0-1 and 2-3 share hosts; 1-2 and 0-3 cross. Exchanging 1 and 3 gains what 0-3 weighs more than 0-1.
    return edge_traffic(4, std::array<WeightedEdge, 4>{{{0, 1, 100}, {2, 3, 100}, {0, 3, 100 + extra}, {2, 1, 100}}});
  };
  const JobMachine machine = equal_hosts(block(2, 2));
  const Reordering little = reorder_fast(heavy(1), machine);
  CHECK(little.trivial());
  CHECK(little.cost == little.cost_before);
  CHECK(little.obstacle == Obstacle::none);
  CHECK(!reorder_fast(heavy(10), machine).trivial());
}

TEST_CASE("a small gain inside hosts moves nobody either") {
  JobMachine machine = equal_hosts(block(1, 4));
  machine.part_of_process = packages_in_turn(4, 2);
  const auto heavy = [](double extra) {
    return edge_traffic(4, std::array<WeightedEdge, 4>{{{0, 2, 100}, {1, 3, 100}, {0, 1, 100 + extra}, {2, 3, 100}}});
  };
  CHECK(reorder_fast(heavy(1), machine).trivial());
  CHECK(!reorder_fast(heavy(10), machine).trivial());
}

TEST_CASE("nothing more is sent between the farthest places, though all together would cost less") {
  Random random(11);
  int refused = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<WeightedEdge> edges;
    for (int e = 0; e < 14; ++e)
      edges.push_back({static_cast<std::int32_t>(random.below(8)), static_cast<std::int32_t>(random.below(8)),
                       static_cast<double>(1 + random.below(9))});
    const Traffic graph = edge_traffic(8, edges);
    const JobMachine machine = two_switches(block(4, 2));
    for (const Reordering& answer : {reorder_fast(graph, machine), reorder(graph, machine)}) {
      CHECK(across(graph, machine, answer.process_of_vertex) <= across(graph, machine, in_order(8)));
      if (answer.obstacle == Obstacle::none) continue;
      ++refused;
      CHECK(answer.obstacle == Obstacle::farthest_level);
      CHECK(answer.refused < answer.cost_before);
      CHECK(answer.cost == answer.cost_before);
    }
  }
  CHECK(refused > 0);
}

namespace {

/// Two hosts whose ranks come in blocks; the first vertices of the pairs do four times as much.
VertexTraffic pairs_of_unequal_work() {
  VertexTraffic graph(pairs(8, 1));
  graph.loads = {4, 4, 4, 4, 1, 1, 1, 1};
  return graph;
}

std::array<int, 2> work_of_hosts(const VertexTraffic& graph, const JobMachine& machine, const Reordering& answer) {
  std::array<int, 2> work{};
  for (std::size_t vertex = 0; vertex < graph.loads.size(); ++vertex)
    work[machine.place_of_process[answer.process_of_vertex[vertex]].index()] += graph.loads[vertex];
  return work;
}

}  // namespace

TEST_CASE("work is shared evenly first, then bytes count") {
  const VertexTraffic graph = pairs_of_unequal_work();
  JobMachine machine = equal_hosts(block(2, 4));
  for (const bool search : {false, true}) {
    const Reordering answer = search ? reorder(graph, machine) : reorder_fast(graph, machine);
    CHECK(work_of_hosts(graph, machine, answer) == std::array{10, 10});
    CHECK(answer.fullest_before == doctest::Approx(0.6));
    CHECK(answer.fullest == doctest::Approx(0));
    CHECK(answer.cost == 0);  // a heavy and a light pair on each host
  }
  // The second host is four times as strong.
  machine.power = {1, 4};
  const Reordering uneven = reorder_fast(graph, machine);
  CHECK(work_of_hosts(graph, machine, uneven) == std::array{4, 16});
  CHECK(uneven.fullest == doctest::Approx(0));
  CHECK(uneven.cost == 0);
  machine.power = {4, 1};  // as it is already
  CHECK(reorder_fast(graph, machine).trivial());
}

TEST_CASE("shared work may cost bytes, and an order that is even already is not made uneven") {
  VertexTraffic graph(edge_traffic(4, std::array<WeightedEdge, 2>{{{0, 1, 1}, {2, 3, 1}}}));
  graph.loads = {3, 3, 1, 1};
  const JobMachine blocks = equal_hosts(block(2, 2));
  const Reordering even = reorder_fast(graph, blocks);
  CHECK(work_of_hosts(graph, blocks, even) == std::array{4, 4});
  CHECK(even.cost_before == 0);
  CHECK(even.cost == 2);
  const JobMachine in_turn = equal_hosts(cyclic(2, 2));
  const Reordering kept = reorder_fast(graph, in_turn);
  CHECK(kept.trivial());  // pairs on one host would save all bytes
  CHECK(kept.cost == 2);
  graph.loads = {1, 1, 1, 1};
  CHECK(reorder_fast(graph, in_turn).cost == 0);
}

TEST_CASE("vertices that do not talk, processes without a vertex, and the parts of a host") {
  VertexTraffic silent(edge_traffic(2, {}));
  silent.loads = {1, 1};
  const JobMachine hosts = equal_hosts(block(2, 2));
  const Reordering spread = reorder_fast(silent, hosts);
  CHECK(work_of_hosts(silent, hosts, spread) == std::array{1, 1});
  CHECK(spread.fullest_before == doctest::Approx(1));
  JobMachine host = equal_hosts(block(1, 4));
  host.part_of_process = {NodePart{{0}}, NodePart{{0}}, NodePart{{1}}, NodePart{{1}}};
  VertexTraffic graph(pairs(4, 2));
  graph.loads = {5, 5, 1, 1};
  const Reordering inside = reorder_fast(graph, host);
  CHECK(host.part_of_process[inside.process_of_vertex[0]] != host.part_of_process[inside.process_of_vertex[1]]);
  CHECK(inside.inside == 0);
}

TEST_CASE("random loads: never fuller than before by more than is allowed, and a valid answer") {
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t processes = 2 + random.below(14);
    std::vector<WeightedEdge> edges;
    VertexTraffic graph(edge_traffic(1, {}));
    const std::uint32_t vertices = 1 + random.below(processes);
    for (std::uint32_t e = random.below(40); e > 0; --e)
      edges.push_back({static_cast<std::int32_t>(random.below(vertices)),
                       static_cast<std::int32_t>(random.below(vertices)), static_cast<double>(random.below(5))});
    graph.likely = edge_traffic(vertices, edges);
    for (std::uint32_t v = 0; v < vertices; ++v) graph.loads.push_back(static_cast<int>(1 + random.below(9)));
    std::vector<std::string> hosts;
    for (std::uint32_t p = 0; p < processes; ++p) hosts.push_back(fmt::format("h{}", random.below(3)));
    const JobMachine machine = equal_hosts(hosts);
    const Reordering answer = reorder_fast(graph, machine);
    std::vector<std::size_t> sorted = answer.process_of_vertex;
    std::ranges::sort(sorted);
    CHECK(std::ranges::adjacent_find(sorted) == sorted.end());
    CHECK(cost_of(graph.likely, machine, answer) == doctest::Approx(answer.cost));
    CHECK(answer.fullest <= std::max(answer.fullest_before, kMostAboveShare) + 1e-9);
  }
}
