// SPDX-License-Identifier: BSD-3-Clause

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include <tests/paper_machines.hpp>

#include <topowise/base/random.hpp>
#include <topowise/schedule/heuristic.hpp>
#include <topowise/schedule/in_order.hpp>
#include <topowise/schedule/playback.hpp>
#include <topowise/schedule/remaining_work.hpp>

using namespace topowise;
using namespace topowise::testing;

namespace {

/// Places around one switch, joined to it by links of 1 GB/s.
Topology crossbar(std::size_t places) {
  TopologyBuilder builder("crossbar");
  const VertexId middle = builder.add_vertex({.kind = VertexKind::network_switch, .name = "switch"});
  for (std::size_t i = 0; i < places; ++i) {
    const VertexId at = builder.add_vertex({.kind = VertexKind::compute_node, .name = "n" + std::to_string(i)});
    builder.add_links({.from = at, .to = middle, .kind = LinkKind::network, .bandwidth = gigabytes_per_second(1)});
    builder.add_place(PlaceKind::node, at);
  }
  return std::move(builder).build();
}

/// Every rank sends and receives `each` messages of 1 GB; the partners are random, in any order.
Exchange regular(std::size_t ranks, int each, Random& random) {
  std::vector<Communication> messages;
  for (int i = 0; i < each; ++i) {
    std::vector<std::size_t> to(ranks);
    std::iota(to.begin(), to.end(), std::size_t{0});
    for (std::size_t left = ranks; left > 1; --left)  // Sattolo's algorithm: no rank keeps its position
      std::swap(to[left - 1], to[random.below(static_cast<std::uint32_t>(left - 1))]);
    for (std::size_t rank = 0; rank < ranks; ++rank) messages.push_back(message(rank, to[rank], 1e9));
  }
  for (std::size_t left = messages.size(); left > 1; --left)
    std::swap(messages[left - 1], messages[random.below(static_cast<std::uint32_t>(left))]);
  return Exchange(messages);
}

void check_complete(const OrderProblem& problem, const Order& order) {
  REQUIRE(order.size() == problem.queues().size());
  for (std::size_t q = 0; q < order.size(); ++q) {
    REQUIRE(order[q].size() == problem.queues()[q].message_count);
    for (std::size_t i = 0; i < problem.queues()[q].items.size(); ++i)
      CHECK(std::ranges::count(order[q], static_cast<ItemNumber>(i)) ==
            static_cast<std::ptrdiff_t>(problem.queues()[q].items[i].messages.size()));
  }
}

}  // namespace

TEST_CASE("orders of rounds: matchings are optimal where every rank sends and receives as much") {
  Random random(81);
  for (int round = 0; round < 40; ++round) {
    const std::size_t ranks = 2 + random.below(12);
    const int each = 1 + static_cast<int>(random.below(9));
    CAPTURE(round);
    CAPTURE(ranks);
    CAPTURE(each);
    const Topology topology = crossbar(ranks);
    CongestionModel model(topology, CongestionModelName::max_min);
    OrderProblem problem(model, regular(ranks, each, random), identity_mapping(ranks));
    for (const auto make : {rotation_order, matching_order, list_order}) check_complete(problem, make(problem));
    CHECK(play_order(problem, matching_order(problem)) == doctest::Approx(each));
    const FoundOrder best = best_order(problem, 1);
    CHECK(best.proven_optimal());
    CHECK(best.makespan.value() == doctest::Approx(each));
  }
}

TEST_CASE("orders of rounds: an all-to-all in rotation ends when the ports have sent all") {
  for (const std::size_t ranks : {2, 5, 8, 70, 258}) {
    CAPTURE(ranks);
    const Topology topology = crossbar(ranks);
    CongestionModel model(topology, CongestionModelName::max_min);
    std::vector<Communication> messages;
    for (std::size_t from = 0; from < ranks; ++from) {
      for (std::size_t to = 0; to < ranks; ++to)
        if (from != to) messages.push_back(message(from, to, 1e9));
    }
    OrderProblem problem(model, Exchange(messages), identity_mapping(ranks));
    CHECK(play_order(problem, rotation_order(problem)) == doctest::Approx(static_cast<double>(ranks - 1)));
    if (ranks > 2) CHECK(play_order(problem, problem.given()) > 1.2 * static_cast<double>(ranks - 1));
    CHECK(best_order(problem, 1).proven_optimal());
    CHECK(best_order(problem, 1, {.stop = [] { return true; }}).proven_optimal());
  }
}

TEST_CASE("orders of rounds: a search that begins with them is never slower than what was given, on any machine") {
  Random random(82);
  const Topology topology = t2_machine();
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    CongestionModel model(topology, round % 2 == 0 ? CongestionModelName::max_min : CongestionModelName::automatic);
    std::vector<Communication> messages;
    for (std::size_t i = 0; i < 30; ++i) {
      const std::size_t from = random.below(8);
      const std::size_t to = random.below(8);
      if (from != to) messages.push_back(message(from, to, 1e6 * (1 + random.below(5))));
    }
    OrderProblem problem(model, Exchange(messages), identity_mapping(8));
    for (const auto make : {rotation_order, matching_order, list_order}) check_complete(problem, make(problem));
    const FoundOrder best = best_order(problem, 1, {.steps = 20'000});
    check_complete(problem, best.order);
    CHECK(best.makespan.value() <= play_order(problem, problem.given()) * (1 + 1e-9));
    CHECK(best.makespan.value() >= bound_of_all_orders(problem).value() * (1 - 1e-9));
  }
  CongestionModel model(topology, CongestionModelName::max_min);
  const OrderProblem nothing(model, Exchange(std::vector<Communication>()), identity_mapping(8));
  for (const auto make : {rotation_order, matching_order, list_order}) CHECK(make(nothing).empty());
}

TEST_CASE("an order as an exchange has all messages, also those that take no time") {
  const Topology topology = crossbar(3);
  CongestionModel model(topology, CongestionModelName::max_min);
  const Exchange given({message(0, 1, 0), message(0, 2, 1e9), message(1, 2, 2e9), message(0, 1, 1e9)});
  OrderProblem problem(model, given, identity_mapping(3));
  const Exchange found = in_order(given, problem, best_order(problem, 1).order);
  REQUIRE(found.communications().size() == 4);
  CHECK(found.communications().front().bytes == Bytes(0));
  double bytes = 0;
  for (const Communication& each : found.communications()) bytes += each.bytes.value();
  CHECK(bytes == 4e9);
}
