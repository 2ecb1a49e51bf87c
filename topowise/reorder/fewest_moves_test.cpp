// SPDX-License-Identifier: BSD-3-Clause

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <topowise/base/random.hpp>
#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/reorder/reorder.hpp>
#include <topowise/reorder/virtual_topology.hpp>
#include <topowise/topology_source/synthetic/tree.hpp>

using namespace topowise;

namespace {

std::size_t kept(const Mapping& one, const Mapping& other) {
  std::size_t same = 0;
  for (std::size_t rank = 0; rank < one.ranks(); ++rank) same += one[Rank(rank)] == other[Rank(rank)] ? 1 : 0;
  return same;
}

/// The largest number of ranks that can stay: the function tries every permutation of the places that keeps all
/// distances and capacities.
std::size_t most_kept(const Topology& machine, const Mapping& found, const Mapping& now) {
  std::vector<std::size_t> to(machine.place_count());
  std::iota(to.begin(), to.end(), std::size_t{0});
  std::size_t most = 0;
  do {
    bool same = true;
    for (std::size_t a = 0; a < to.size() && same; ++a) {
      same = machine.place(Place(a)).capacity == machine.place(Place(to[a])).capacity;
      for (std::size_t b = 0; b < a && same; ++b)
        same = machine.distance(Place(a), Place(b)) == machine.distance(Place(to[a]), Place(to[b]));
    }
    if (!same) continue;
    std::vector<Place> places;
    for (const Place place : found.places()) places.emplace_back(to[place.index()]);
    most = std::max(most, kept(Mapping(std::move(places)), now));
  } while (std::ranges::next_permutation(to).found);
  return most;
}

/// A random mapping that keeps the capacities.
Mapping drawn(const Topology& machine, std::size_t ranks, Random& random) {
  std::vector<Place> slots;
  for (std::size_t place = 0; place < machine.place_count(); ++place)
    slots.insert(slots.end(), static_cast<std::size_t>(machine.place(Place(place)).capacity), Place(place));
  for (std::size_t k = slots.size(); k > 1; --k)
    std::swap(slots[k - 1], slots[random.below(static_cast<std::uint32_t>(k))]);
  slots.resize(ranks, Place(0));
  return Mapping(std::move(slots));
}

MapProblem problem_on(const Topology& machine, std::size_t ranks) {
  return {.traffic = edge_traffic(ranks, {}), .topology = machine, .allowed = {}};
}

}  // namespace

TEST_CASE("on random trees the most ranks stay, and the cost with them") {
  Random random(11);
  std::size_t gained = 0;
  for (const char* tree : {"6", "2:3", "3:2", "2:2", "7", "2:1:3"}) {
    for (int round = 0; round < 40; ++round) {
      TopologyBuilder builder(read_synthetic_tree(tree));
      const std::size_t places = read_synthetic_tree(tree).place_count();
      std::size_t slots = 0;
      for (std::size_t place = 0; place < places; ++place) {
        const int capacity = 1 + static_cast<int>(random.below(2 + round % 2));
        builder.set_capacity(Place(place), capacity);
        slots += static_cast<std::size_t>(capacity);
      }
      const Topology machine = std::move(builder).build();
      const std::size_t ranks = slots - random.below(2);
      std::vector<WeightedEdge> edges;
      for (int edge = 0; edge < 20; ++edge)
        edges.push_back({static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(ranks))),
                         static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(ranks))), 1});
      const Traffic graph = edge_traffic(ranks, edges);
      const Mapping now = drawn(machine, ranks, random);
      const Mapping found = drawn(machine, ranks, random);
      const std::optional<Hierarchy> parts = find_hierarchy(problem_on(machine, ranks));
      REQUIRE(parts);
      const Mapping moved = fewest_moves(*parts, found, now);
      moved.check(machine);
      CHECK(hop_bytes(graph, machine, moved, Metric::distance) == hop_bytes(graph, machine, found, Metric::distance));
      CHECK(kept(moved, now) == most_kept(machine, found, now));
      CHECK(fewest_moves(*parts, found, now) == moved);
      gained += kept(moved, now) - kept(found, now);
    }
  }
  CHECK(gained > 100);
}

TEST_CASE("more parts than can be matched exactly: half of the most, and an order that only swaps hosts is undone") {
  std::vector<std::string> hosts;
  for (int process = 0; process < 900; ++process) hosts.push_back(fmt::format("h{}", process / 3));
  const Topology machine = equal_hosts(hosts).topology;
  std::vector<Place> now;
  std::vector<Place> found;
  for (std::size_t rank = 0; rank < 900; ++rank) {
    now.emplace_back(rank / 3);
    found.emplace_back((rank / 3 * 7 + 5) % 300);
  }
  const Hierarchy parts = equally_far(problem_on(machine, 900));
  CHECK(fewest_moves(parts, Mapping(found), Mapping(now)) == Mapping(now));
  Random random(3);
  const Mapping other = drawn(machine, 900, random);
  const Mapping moved = fewest_moves(parts, other, Mapping(now));
  moved.check(machine);
  CHECK(kept(moved, Mapping(now)) >= 150);  // each host can keep one rank
}

TEST_CASE("of equal hosts, only those move whose ranks have to") {
  // The ranks of two of the eight pairs are apart: the hosts of the other six pairs keep their ranks, however the
  // mapper numbers the hosts.
  std::vector<WeightedEdge> edges;
  for (std::int32_t rank = 0; rank < 16; rank += 2) edges.push_back({rank, rank + 1, 1});
  std::vector<std::string> hosts;
  for (int process = 0; process < 16; ++process) hosts.push_back(fmt::format("h{}", process / 2));
  std::swap(hosts[0], hosts[15]);
  const Traffic graph = edge_traffic(16, edges);
  for (const Reordering& answer : {reorder(graph, equal_hosts(hosts)), reorder_fast(graph, equal_hosts(hosts))}) {
    CHECK(answer.cost == 0);
    std::size_t moved = 0;
    for (std::size_t vertex = 0; vertex < 16; ++vertex) moved += answer.process_of_vertex[vertex] != vertex ? 1 : 0;
    CHECK(moved == 2);
  }
}
