// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <tests/paper_machines.hpp>
#include <topowise/base/random.hpp>
#include <topowise/predict/congestion/simulate.hpp>
#include <topowise/schedule/orders.hpp>
#include <topowise/schedule/playback.hpp>

using namespace topowise;
using namespace topowise::testing;

namespace {

/// The exchange with every source's messages in a random order.
Exchange shuffled(const Exchange& exchange, Random& random) {
  std::vector<Communication> messages(exchange.communications().begin(), exchange.communications().end());
  random.shuffle(std::span(messages));
  return Exchange(std::move(messages));
}

/// Two boards on each of two sides, and two more boards on a third side: more than eight queues.
Topology twelve_gpus() {
  MachineUnderTest machine("12 GPUs");
  const VertexId rc = machine.root(VertexKind::root_complex, "RC");
  for (const char* name : {"A", "B", "C"}) {
    const VertexId s = machine.below(rc, VertexKind::pcie_switch, name);
    machine.board(s);
    machine.board(s);
  }
  return std::move(machine).build();
}

void check_like_simulation(const Topology& topology, const Exchange& exchange, Random& random) {
  CongestionModel model(topology, CongestionModelName::pcie_sc16);
  RateMemo memo(model);
  const Mapping mapping = identity_mapping(topology.place_count());
  for (int round = 0; round < 50; ++round) {
    const Exchange order = shuffled(exchange, random);
    OrderProblem problem(model, order, mapping);
    CHECK(play_order(problem, problem.given()) ==
          doctest::Approx(simulate(memo, order, mapping).makespan.value()).epsilon(1e-9));
  }
}

}  // namespace

TEST_CASE("an order takes as long as the simulation says: eight queues, fewer, more") {
  Random random(61);
  check_like_simulation(t2_machine(), halo(std::vector{2, 2, 2}, Bytes(1e8)), random);
  check_like_simulation(t2_machine(), halo(std::vector{2, 4}, Bytes(1e8)), random);
  check_like_simulation(t2_machine(),
                        Exchange({message(5, 1, 1e8), message(5, 2, 3e8), message(5, 7, 2e8), message(0, 1, 5e8),
                                  message(6, 1, 1e8), message(6, 2, 1e8)}),
                        random);
  check_like_simulation(twelve_gpus(), halo(std::vector{3, 4}, Bytes(1e8)), random);
  check_like_simulation(t2_machine(), one_message_a_pair(Traffic::from_entries(8, {{Rank(3), Rank(0), Bytes(7e7), 1}})),
                        random);
}
