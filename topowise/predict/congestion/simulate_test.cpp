// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <tests/paper_machines.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>
#include <topowise/predict/congestion/simulate.hpp>

using namespace topowise;
using namespace topowise::testing;

namespace {

constexpr double kSize = 300.0 * 1024 * 1024;

Simulation play(const Topology& topology, std::vector<Communication> messages, CongestionModelName name,
                const CongestionParameters& parameters = {}, RecordSteps record = RecordSteps::no) {
  CongestionModel model(topology, name, parameters);
  RateMemo memo(model);
  return simulate(memo, Exchange(std::move(messages)), identity_mapping(topology.place_count()), record);
}

/// Section 3 of the model exactly as described: it computes all rates anew at every event, without heap, components or
/// memo.
std::vector<double> slow_ends(const Topology& topology, const std::vector<Communication>& messages) {
  CongestionModel model(topology, CongestionModelName::automatic);
  std::vector<std::size_t> order(messages.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t m) { return messages[m].start; });
  std::map<std::uint32_t, std::vector<std::size_t>> queues;  // the queue of each port; the next message comes first
  const auto flow_of = [&](std::size_t m) {
    return model.flow(Place(messages[m].source.index()), Place(messages[m].destination.index()));
  };
  for (const std::size_t m : order) queues[model.port(flow_of(m))].push_back(m);
  std::vector<double> left(messages.size());
  std::vector<double> ends(messages.size(), -1);
  for (std::size_t m = 0; m < messages.size(); ++m) left[m] = messages[m].bytes.value();
  for (double now = 0;;) {
    std::vector<std::size_t> active;
    double next = std::numeric_limits<double>::infinity();
    for (auto& [port, queue] : queues) {
      while (!queue.empty() && messages[queue.front()].start.value() <= now && left[queue.front()] <= 0) {
        ends[queue.front()] = now;
        queue.erase(queue.begin());
      }
      if (queue.empty()) continue;
      const double start = messages[queue.front()].start.value();
      if (start > now)
        next = std::min(next, start);
      else
        active.push_back(queue.front());
    }
    if (active.empty() && std::isinf(next)) return ends;
    std::vector<CongestionModel::Flow> flows;
    for (const std::size_t m : active) flows.push_back(flow_of(m));
    std::vector<double> rates(active.size());
    model.rates(flows, rates);
    for (std::size_t i = 0; i < active.size(); ++i) next = std::min(next, now + left[active[i]] / rates[i]);
    for (std::size_t i = 0; i < active.size(); ++i) {
      left[active[i]] -= (next - now) * rates[i];
      if (left[active[i]] <= 1e-9 * messages[active[i]].bytes.value()) left[active[i]] = 0;
    }
    now = next;
  }
}

double ms(Seconds time) {
  return time.value() * 1e3;
}

}  // namespace

TEST_CASE("simulate: the full example of the paper, its Table II") {
  const Simulation found =
      play(t2_machine(), {message(0, 2, kSize), message(1, 4, kSize), message(3, 2, kSize), message(6, 4, kSize)},
           CongestionModelName::pcie_sc16, {.tau = 0.2}, RecordSteps::yes);
  CHECK(ms(found.end[0]) == doctest::Approx(64.944).epsilon(1e-5));
  CHECK(ms(found.end[1]) == doctest::Approx(64.944).epsilon(1e-5));
  CHECK(ms(found.end[2]) == doctest::Approx(36.080).epsilon(1e-5));
  CHECK(ms(found.end[3]) == doctest::Approx(36.080).epsilon(1e-5));
  CHECK(found.makespan == found.end[0]);
  REQUIRE(found.steps.size() == 2);
  const double expected[2][4] = {{0.3, 0.3, 0.7, 0.7}, {0.5, 0.5}};
  for (std::size_t step = 0; step < 2; ++step) {
    for (std::size_t i = 0; i < found.steps[step].factors.size(); ++i)
      CHECK(found.steps[step].factors[i].factor == doctest::Approx(expected[step][i]).epsilon(1e-12));
  }
  CHECK(found.steps[0].factors.size() == 4);
  CHECK(found.steps[1].factors.size() == 2);
}

TEST_CASE("simulate: messages of a source go one after the other, in the order of start, then of the list") {
  const Simulation found = play(t2_machine(),
                                {message(0, 1, kSize, 0.1), message(0, 1, 2 * kSize), message(0, 1, kSize),
                                 message(2, 3, 0, 0.05), message(2, 3, kSize, 0.01)},
                                CongestionModelName::pcie_sc16);
  const double alone = kSize / kPaperBandwidth.value();
  CHECK(found.begin[1].value() == 0);
  CHECK(found.end[1].value() == doctest::Approx(2 * alone));
  CHECK(found.begin[2] == found.end[1]);
  CHECK(found.end[2].value() == doctest::Approx(3 * alone));
  CHECK(found.begin[0].value() == doctest::Approx(0.1));
  CHECK(found.end[0].value() == doctest::Approx(0.1 + alone));
  CHECK(found.begin[4].value() == 0.01);
  CHECK(found.end[3].value() == doctest::Approx(0.05));
}

TEST_CASE("simulate: latency comes before the links are occupied, but not under the paper's own model") {
  const Topology topology = t2_machine(Seconds(1e-3));
  const double alone = kSize / kPaperBandwidth.value();
  CHECK(play(topology, {message(0, 1, kSize)}, CongestionModelName::automatic).makespan.value() ==
        doctest::Approx(2e-3 + alone));
  CHECK(play(topology, {message(0, 1, kSize)}, CongestionModelName::pcie_sc16).makespan.value() ==
        doctest::Approx(alone));
  CHECK(play(topology, {message(0, 1, 0)}, CongestionModelName::automatic).makespan.value() == doctest::Approx(2e-3));
}

TEST_CASE("simulate: a start-up comes before each message of a sender, under the paper's own model, too") {
  const Topology topology = t2_machine(Seconds(1e-3));
  const double alone = kSize / kPaperBandwidth.value();
  for (const CongestionModelName name : {CongestionModelName::pcie_sc16, CongestionModelName::automatic}) {
    CongestionModel model(topology, name);
    model.set_startup(Seconds(5e-3));
    RateMemo memo(model);
    const double latency = name == CongestionModelName::automatic ? 2e-3 : 0;
    const auto end = [&](std::vector<Communication> messages) {
      return simulate(memo, Exchange(std::move(messages)), identity_mapping(topology.place_count())).makespan.value();
    };
    CHECK(end({message(0, 1, 0)}) == doctest::Approx(5e-3 + latency));
    CHECK(end({message(0, 1, kSize)}) == doctest::Approx(5e-3 + latency + alone));
    CHECK(end({message(0, 1, kSize), message(0, 1, kSize)}) == doctest::Approx(2 * (5e-3 + latency + alone)));
  }
}

TEST_CASE("simulate: between sockets the narrowest of PCIe, tau and the socket link decides") {
  const auto end = [](double between, std::vector<Communication> messages) {
    return play(two_socket_machine(BytesPerSecond(between)), std::move(messages), CongestionModelName::automatic)
        .makespan.value();
  };
  const double unit = kPaperBandwidth.value();
  CHECK(end(5e9, {message(1, 2, kSize)}) == doctest::Approx(kSize / 5e9));
  CHECK(end(50e9, {message(1, 2, kSize)}) == doctest::Approx(kSize / (unit * (1 - kPaperTau))));
  CHECK(end(5e9, {message(0, 2, kSize), message(1, 2, kSize)}) == doctest::Approx(2 * kSize / 5e9));
}

TEST_CASE("simulate: a direct bond has its own port and needs no PCIe") {
  const Simulation found = play(two_socket_machine(BytesPerSecond(5e9)), {message(0, 3, kSize), message(0, 1, kSize)},
                                CongestionModelName::automatic);
  CHECK(found.begin[1].value() == 0);
  CHECK(found.end[0].value() == doctest::Approx(kSize / 40e9));
  CHECK(found.end[1].value() == doctest::Approx(kSize / kPaperBandwidth.value()));
}

TEST_CASE("simulate: copies without peer access share the wires to the host") {
  const auto machine = [](bool access) {
    TopologyBuilder builder("switch");
    const VertexId bridge = builder.add_vertex({.kind = VertexKind::root_complex, .name = "bridge"});
    const VertexId below = builder.add_vertex({.kind = VertexKind::pcie_switch, .name = "switch", .parent = bridge});
    const auto join = [&](VertexId child, VertexId parent) {
      builder.add_links(
          {.from = child, .to = parent, .kind = LinkKind::pcie, .bandwidth = gigabytes_per_second(10), .source = "t"});
    };
    join(below, bridge);
    for (int g = 0; g < 4; ++g) {
      const VertexId gpu =
          builder.add_vertex({.kind = VertexKind::gpu, .name = "GPU" + std::to_string(g), .parent = below});
      join(gpu, below);
      builder.add_place(PlaceKind::gpu, gpu);
      for (int other = 0; other < g && !access; ++other)
        builder.refuse_peer_access(Place(static_cast<std::size_t>(other)), Place(static_cast<std::size_t>(g)));
    }
    return std::move(builder).build();
  };
  const std::vector<Communication> two{{.source = Rank(0), .destination = Rank(1), .bytes = Bytes(10e9)},
                                       {.source = Rank(2), .destination = Rank(3), .bytes = Bytes(10e9)}};
  CHECK(play(machine(true), two, CongestionModelName::automatic).makespan.value() == doctest::Approx(1));
  CHECK(play(machine(false), two, CongestionModelName::automatic).makespan.value() >= 1.99);
  CHECK(play(machine(false), {two[0]}, CongestionModelName::automatic).makespan.value() < 1.25);
}

TEST_CASE("simulate: messages inside one place take no time") {
  const Topology topology = t2_machine();
  CongestionModel model(topology, CongestionModelName::automatic);
  RateMemo memo(model);
  const Simulation found = simulate(memo, Exchange({message(0, 1, kSize, 0.5)}), Mapping({Place(3), Place(3)}));
  CHECK(found.end[0].value() == 0.5);
}

TEST_CASE("simulate: the same ends as stepping through the whole active set") {
  for (const bool t2 : {false, true}) {
    Random random(3);
    const Topology topology = t2 ? t2_machine() : two_socket_machine(BytesPerSecond(6e9));
    const auto ranks = static_cast<std::uint32_t>(topology.place_count());
    for (int round = 0; round < 300; ++round) {
      CAPTURE(round);
      std::vector<Communication> messages;
      for (int i = 0; i < 20; ++i) {
        const std::size_t from = random.below(ranks);
        const std::size_t to = random.below(ranks);
        if (from != to) messages.push_back(message(from, to, 1e6 * random.below(50), 1e-3 * random.below(4)));
      }
      const Simulation found = play(topology, messages, CongestionModelName::automatic);
      const std::vector<double> expected = slow_ends(topology, messages);
      for (std::size_t i = 0; i < messages.size(); ++i)
        REQUIRE(found.end[i].value() == doctest::Approx(expected[i]).epsilon(1e-9));
    }
  }
}

TEST_CASE("simulate: errors") {
  const Topology topology = t2_machine();
  CHECK_THROWS_WITH_AS(play(topology, {message(0, 9, 1)}, CongestionModelName::automatic),
                       "the exchange names rank 9, the mapping has 8 ranks", Error);
  CHECK_THROWS_WITH_AS(play(topology, {message(0, 1, 1)}, CongestionModelName::automatic, {.tau = 0.7}),
                       "tau is '0.7', it must be in [0, 0.5)", Error);
  CHECK_THROWS_WITH_AS(
      play(two_socket_machine(BytesPerSecond(1e9)), {message(1, 2, 1)}, CongestionModelName::pcie_sc16),
      doctest::Contains("is not part of a PCIe tree"), Error);
}

TEST_CASE("simulate: a message to which tau leaves nothing waits until the set changes") {
  MachineUnderTest machine("wide");
  const VertexId rc = machine.root(VertexKind::root_complex, "RC");
  const VertexId s = machine.below(rc, VertexKind::pcie_switch, "S");
  for (int i = 0; i < 4; ++i) machine.board(s);
  machine.board(rc);
  const Topology topology = std::move(machine).build();
  // 8 is behind the root complex, the others are below S. There are three groups and 1/3 < tau: 8 -> 0 waits, then goes
  // on.
  const Simulation found = play(topology, {message(8, 0, 1e6), message(2, 0, 1e6), message(4, 0, 1e6)},
                                CongestionModelName::pcie_sc16, {.tau = 0.45});
  const Simulation alone = play(topology, {message(8, 0, 1e6)}, CongestionModelName::pcie_sc16, {.tau = 0.45});
  CHECK(found.end[1] == found.end[2]);
  CHECK(found.end[0].value() == doctest::Approx((found.end[1] + alone.end[0]).value()));
}
