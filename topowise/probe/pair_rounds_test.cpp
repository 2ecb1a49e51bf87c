// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/probe/pair_rounds.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include <topowise/base/random.hpp>
#include <topowise/probe/measure_job.hpp>

using namespace topowise;
using namespace topowise::probe;

namespace {

/// `2 * hosts` places in one machine without links; each host has two of them.
Topology hosts_of_two(std::size_t hosts) {
  TopologyBuilder builder("hosts");
  for (std::size_t p = 0; p < 2 * hosts; ++p)
    builder.add_place(PlaceKind::core, builder.add_vertex({.kind = VertexKind::core, .name = std::to_string(p)}));
  return std::move(builder).build();
}

const Occupies kNothingElse = [](const PairOfPlaces&) { return std::vector<std::size_t>{0}; };

}  // namespace

TEST_CASE("in a tournament everybody meets everybody once, in as few rounds as there can be") {
  CHECK(tournament(0).empty());
  CHECK(tournament(1).empty());
  for (std::size_t n = 2; n < 18; ++n) {
    const std::vector<PairOfPlaces> pairs = tournament(n);
    std::vector<PairOfPlaces> sorted = pairs;
    std::ranges::sort(sorted);
    CHECK(sorted == all_pairs(n));
    // No place is in two pairs of a round: n / 2 neighbours in the order share no place.
    for (std::size_t i = 0; i < pairs.size(); i += n / 2) {
      std::set<Place> seen;
      for (std::size_t k = i; k < i + n / 2; ++k) seen.insert({pairs[k].first, pairs[k].second});
      CHECK(seen.size() == n / 2 * 2);
    }
  }
}

TEST_CASE("pairs that occupy the same thing are never in one round, and none is forgotten") {
  const auto alone = rounds(tournament(6), kNothingElse, 15);
  CHECK(alone.size() == 15);
  const Occupies own = [](const PairOfPlaces& pair) { return std::vector{pair.first.index()}; };
  CHECK(rounds(tournament(6), own, 15).size() == 5);
  CHECK(rounds(tournament(6), own, 2).size() >= 8);
  CHECK(rounds(
            tournament(6), [](const PairOfPlaces&) { return std::vector<std::size_t>{}; }, 15)
            .size() == 15);
}

TEST_CASE("each pair is in the first round that takes it") {
  Random random(7);
  for (int trial = 0; trial < 50; ++trial) {
    std::map<PairOfPlaces, std::vector<std::size_t>> things;
    const std::vector<PairOfPlaces> pairs = tournament(7);
    for (const PairOfPlaces& pair : pairs) {
      for (std::size_t thing = 0; thing < 6; ++thing) {
        if (random.below(3) == 0) things[pair].push_back(thing);
      }
    }
    const std::size_t most = 1 + random.below(3);
    // The slow way, without memory: it tries every round, and compares with every pair in it.
    std::vector<Round> expected;
    const auto disturb = [&](const PairOfPlaces& a, const PairOfPlaces& b) {
      const bool share_place = a.first == b.first || a.first == b.second || a.second == b.first || a.second == b.second;
      return share_place || things[a].empty() || things[b].empty() ||
             std::ranges::find_first_of(things[a], things[b]) != things[a].end();
    };
    for (const PairOfPlaces& pair : pairs) {
      const auto round = std::ranges::find_if(expected, [&](const Round& open) {
        return open.size() < most &&
               std::ranges::none_of(open, [&](const auto& other) { return disturb(pair, other); });
      });
      if (round == expected.end())
        expected.push_back({pair});
      else
        round->push_back(pair);
    }
    CHECK(rounds(
              pairs, [&](const PairOfPlaces& pair) { return things[pair]; }, most) == expected);
  }
}

TEST_CASE("a job measures at once inside different hosts, but not twice across the network") {
  const Topology machine = hosts_of_two(3);
  const std::vector<std::size_t> host{0, 0, 1, 1, 2, 2};
  const auto all = job_rounds(machine, tournament(6), host, Sharing::host, 15);
  std::size_t pairs = 0;
  std::size_t inside = 0;
  for (const Round& round : all) {
    pairs += round.size();
    std::map<std::size_t, int> busy;
    int crossing = 0;
    for (const auto& [a, b] : round) {
      const std::set<std::size_t> touched{host[a.index()], host[b.index()]};
      for (const std::size_t h : touched) ++busy[h];
      crossing += touched.size() == 2 ? 1 : 0;
    }
    CHECK(crossing <= 1);
    for (const auto& [h, times] : busy) CHECK(times == 1);
    if (crossing == 0) inside = std::max(inside, round.size());
  }
  CHECK(pairs == 15);
  CHECK(all.size() == 12);  // one round for each pair between hosts; pairs inside a host join these rounds
}

TEST_CASE("where the links are known, pairs across the network go at once if they share none") {
  TopologyBuilder builder("two switches");
  std::vector<std::size_t> host;
  for (std::size_t s = 0; s < 2; ++s) {
    const VertexId above = builder.add_vertex({.kind = VertexKind::network_switch, .name = "s"});
    for (std::size_t h = 0; h < 2; ++h) {
      const VertexId node = builder.add_vertex({.kind = VertexKind::compute_node, .name = "h"});
      builder.add_links({.from = node, .to = above, .kind = LinkKind::network});
      builder.add_place(PlaceKind::node, node);
      host.push_back(2 * s + h);
    }
  }
  builder.add_links({.from = VertexId(0), .to = VertexId(3), .kind = LinkKind::network});
  const Topology machine = std::move(builder).build();
  const auto all = job_rounds(machine, all_pairs(4), host, Sharing::host, 15);
  REQUIRE(all.size() == 5);
  CHECK(all.front() == Round{{Place(0), Place(1)}, {Place(2), Place(3)}});  // all other pairs share the trunk
}
