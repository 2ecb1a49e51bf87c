// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <vector>

#include <tests/paper_machines.hpp>
#include <topowise/base/random.hpp>
#include <topowise/schedule/enumerate.hpp>
#include <topowise/schedule/heuristic.hpp>
#include <topowise/schedule/orders.hpp>
#include <topowise/schedule/playback.hpp>
#include <topowise/schedule/remaining_work.hpp>

using namespace topowise;
using namespace topowise::testing;

namespace {
constexpr double kMessage = 300.0 * 1024 * 1024;
const double kUnit = kMessage / kPaperBandwidth.value();
}  // namespace

TEST_CASE("branch and bound: the best 2D and 3D halos, proven") {
  const Topology topology = t2_machine();
  for (const auto& [extents, expected] : {std::pair(std::vector{2, 4}, 5.0500), {std::vector{2, 2, 2}, 4.8958}}) {
    CongestionModel model(topology, CongestionModelName::pcie_sc16);
    OrderProblem problem(model, halo(extents, Bytes(kMessage)), identity_mapping(8));
    const FoundOrder found = branch_and_bound(problem, problem.given());
    CHECK(found.proven_optimal());
    CHECK(found.makespan.value() / kUnit == doctest::Approx(expected).epsilon(1e-5));
    CHECK(play_order(problem, found.order) == doctest::Approx(found.makespan.value()).epsilon(1e-9));
    MESSAGE("steps ", found.steps, ", sets ", problem.sets());
  }
}

TEST_CASE("branch and bound: the best of all orders of random exchanges") {
  Random random(9);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const Topology topology = round % 2 == 0 ? t1_machine() : two_socket_machine(BytesPerSecond(6e9));
    const auto places = static_cast<std::uint32_t>(topology.place_count());
    CongestionModel model(topology, round % 3 == 0 ? CongestionModelName::max_min : CongestionModelName::automatic);
    std::vector<Communication> messages;
    for (std::size_t i = 0; i < 8 + random.below(5); ++i) {
      const std::size_t from = random.below(places);
      const std::size_t to = random.below(places);
      if (from != to) messages.push_back(message(from, to, 1e6 * (1 + random.below(3))));
    }
    OrderProblem problem(model, Exchange(messages), identity_mapping(places));
    const Enumeration all = enumerate_orders(problem);
    const FoundOrder found = branch_and_bound(problem, problem.given());
    REQUIRE(found.proven_optimal());
    REQUIRE(found.makespan.value() == doctest::Approx(all.best.value()).epsilon(1e-8));
    const FoundOrder annealed = anneal(problem, problem.given(), 1, {.steps = 200'000});
    REQUIRE(annealed.makespan.value() >= all.best.value() * (1 - 1e-8));
    REQUIRE(annealed.lower_bound.value() <= all.best.value() * (1 + 1e-8));
    REQUIRE(annealed.makespan.value() <= play_order(problem, problem.given()));
  }
}

TEST_CASE("branch and bound: several messages may fill the link of a root complex, which one alone cannot") {
  const Topology t2 = t2_machine();
  CongestionModel filled(t2, CongestionModelName::pcie_filled);
  OrderProblem known(filled, Exchange({message(2, 4, 5e8), message(2, 0, 1e8), message(1, 6, 5e8)}),
                     identity_mapping(8));
  CHECK(branch_and_bound(known, known.given()).makespan.value() ==
        doctest::Approx(enumerate_orders(known).best.value()));

  MachineUnderTest machine("three switches and a GPU below one root complex");
  const VertexId rc = machine.root(VertexKind::root_complex, "RC");
  for (const char* name : {"A", "B", "C"}) machine.board(machine.below(rc, VertexKind::pcie_switch, name));
  machine.board(rc);
  const Topology topology = std::move(machine).build();
  Random random(91);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    CongestionModel model(topology, round % 2 == 0 ? CongestionModelName::pcie_filled : CongestionModelName::automatic);
    std::vector<Communication> messages;
    for (int i = 0; i < 7; ++i) {
      const std::size_t from = random.below(8);
      const std::size_t to = random.below(8);
      if (from != to) messages.push_back(message(from, to, 1e7 * (1 + random.below(40))));
    }
    OrderProblem problem(model, Exchange(messages), identity_mapping(8));
    const double best = enumerate_orders(problem).best.value();
    CHECK(bound_of_all_orders(problem).value() <= best * (1 + 1e-9));
    CHECK(best_order(problem, 1).makespan.value() == doctest::Approx(best).epsilon(1e-8));
  }
}

TEST_CASE("branch and bound: a search that is stopped gives an order and an honest bound") {
  const Topology topology = t2_machine();
  CongestionModel model(topology, CongestionModelName::pcie_sc16);
  OrderProblem problem(model, halo(std::vector{2, 2, 2}, Bytes(kMessage)), identity_mapping(8));
  const FoundOrder found = branch_and_bound(problem, problem.given(), {.steps = 10, .stop = [] { return true; }});
  CHECK(found.lower_bound.value() / kUnit <= 4.8959);
  CHECK(found.makespan.value() / kUnit >= 4.8958);
  CHECK(play_order(problem, found.order) == doctest::Approx(found.makespan.value()));
}

TEST_CASE("heuristic: a large exchange has a bound, and the same seed gives the same order") {
  const Topology topology = t2_machine();
  CongestionModel model(topology, CongestionModelName::pcie_sc16);
  OrderProblem problem(model, all_to_all(8, Bytes(kMessage)), identity_mapping(8));
  const FoundOrder one = best_order(problem, 3, {.steps = 200'000});
  const FoundOrder two = best_order(problem, 3, {.steps = 200'000});
  CHECK(one.order == two.order);
  CHECK(one.makespan <= Seconds(play_order(problem, problem.given())));
  CHECK(one.lower_bound <= one.makespan);
  CHECK(one.lower_bound.value() > 0);
}
