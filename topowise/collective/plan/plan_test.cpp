// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/collective/plan/algorithms.hpp>
#include <topowise/collective/plan/crossings.hpp>
#include <topowise/collective/plan/simulation.hpp>

using namespace topowise;
using namespace topowise::collective;

namespace {

bool orders(const Step& step) {
  return step.action == Action::wait || step.action == Action::synchronize;
}

/// The plan without step `index` of one rank.
Plan without(Plan plan, std::size_t rank, std::size_t index) {
  plan.steps[rank].erase(plan.steps[rank].begin() + static_cast<std::ptrdiff_t>(index));
  return plan;
}

Plan allreduce(std::string_view algorithm, const Layout& layout) {
  return algorithms()[find_algorithm(algorithm)].plan_for(layout);
}

Layout across_nodes(Layout layout) {
  layout.nodes = 3;
  return layout;
}

/// Every plan for this layout: all collectives, by all algorithms, from the first and from the last root.
std::vector<Plan> all_plans(const Layout& layout) {
  std::vector<Plan> plans;
  for (const CollectiveAlgorithm& algorithm : algorithms()) {
    for (std::size_t c = 0; c < kCollectives; ++c) {
      const auto collective = static_cast<Collective>(c);
      if (!algorithm.does(collective, layout)) continue;
      plans.push_back(algorithm.plan(collective, layout, 0));
      if (has_root(collective) && layout.ranks() > 1)
        plans.push_back(algorithm.plan(collective, layout, layout.ranks() - 1));
    }
  }
  return plans;
}

std::string told(const Plan& plan) {
  return fmt::format("{} of {} by {} ranks, root {}, {} nodes", plan.algorithm, to_string(plan.collective), plan.ranks,
                     plan.root, plan.nodes);
}

/// The algorithm of the paper's section 3.1 as printed: a rank says that it has copied as soon as the copy has begun.
/// All ranks record one event (or, for comparison, each rank its own), and rank 0 waits for the last recorded event.
Plan shared_buffer_by_events(int ranks, bool one_event) {
  Plan plan = shared_buffer(layout_in_turn(ranks));
  for (int rank = 1; rank < ranks; ++rank) {
    std::vector<Step>& steps = plan.steps[static_cast<std::size_t>(rank)];
    const auto synchronize = std::ranges::find(steps, Action::synchronize, &Step::action);
    *synchronize = {.action = Action::record, .peer = one_event ? 0 : rank};
    std::vector<Step>& first = plan.steps[0];
    const auto reduction = std::ranges::find(first, Action::reduce, &Step::action);
    first.insert(reduction, {.action = Action::await, .peer = one_event ? 0 : rank});
  }
  return plan;
}

}  // namespace

TEST_CASE("bytes moved are those of the paper's two designs, and the least that is possible") {
  for (int ranks = 1; ranks <= 20; ++ranks) {
    CAPTURE(ranks);
    const Layout layout = layout_in_turn(ranks);
    CHECK(movement(allreduce("shared-buffer", layout)).gpu == 5 * ranks + 1);
    CHECK(movement(allreduce("leader-fused", layout)).gpu == 2 * ranks);
    if (ranks > 1) CHECK(movement(allreduce("binomial", layout)).gpu == 9 * ranks - 5);
    const Movement staged = movement(allreduce("staged-host", layout));
    CHECK(staged.gpu == 2 * ranks);  // every vector is read once and written once
    CHECK(staged.bus == 2 * ranks);
    CHECK(staged.host == 2 * ranks + ranks + 1);  // copies in and out; the reduction reads and writes
  }
}

TEST_CASE("bytes moved among several GPUs") {
  for (int gpus = 2; gpus <= 8; ++gpus) {
    for (const int ranks : {gpus, gpus + 1, 2 * gpus, 3 * gpus}) {
      CAPTURE(ranks);
      CAPTURE(gpus);
      const Layout layout = layout_in_turn(ranks, gpus);
      CHECK(movement(one_shot(layout)).gpu == 2 * ranks + gpus * (gpus + 1));
      CHECK(movement(two_shot(layout)).gpu == 2 * ranks + 3 * gpus + 1);
      // Terms: inputs into sums, reductions of received parts, copies to the neighbour, results into outputs.
      CHECK(movement(ring(layout)).gpu == 2 * ranks + 2 * gpus + 5 * (gpus - 1) + 2 * (gpus - 1));
    }
  }
  // Two islands of four GPUs: 3/4 of the vector goes around each island, then halves of a quarter go across.
  const Plan plan = ring(layout_in_turn(8, 8, 2));
  CHECK(movement(plan).gpu == 2 * 8 + 2 * 8 + 7 * 2 * 3 + 7 * 1);
  CHECK(*std::ranges::max_element(plan.scratch_parts) == 3);
}

TEST_CASE("in a ring each GPU writes to one other at a time, and little leaves an island") {
  const Layout layout = layout_in_turn(8, 8, 2);
  const Plan plan = ring(layout);
  double across = 0;
  for (std::size_t rank = 0; rank < 8; ++rank) {
    bool begun = false;
    for (const Step& step : plan.steps[rank]) {
      if (step.action == Action::synchronize) begun = false;
      if (step.action != Action::copy) continue;
      CHECK_FALSE(begun);
      begun = true;
      const auto to = static_cast<std::size_t>(step.to.front().owner);
      CHECK(to != rank);
      if (layout.island[rank] != layout.island[to]) across += 1.0 / step.slice.of;
    }
  }
  // One vector crosses in either direction; one ring of all GPUs sends 2 * 7/4.
  CHECK(across == doctest::Approx(2 * 1.0));
}

TEST_CASE("bytes moved by the other collectives in one kernel") {
  for (int ranks = 2; ranks <= 9; ++ranks) {
    const Layout layout = layout_in_turn(ranks);
    const auto gpu_bytes = [&](Collective collective) { return movement(leader_fused(collective, layout, 0)).gpu; };
    CHECK(gpu_bytes(Collective::reduce) == ranks + 1);
    CHECK(gpu_bytes(Collective::broadcast) == ranks);
    CHECK(gpu_bytes(Collective::allgather) == ranks + 1);
    CHECK(gpu_bytes(Collective::reduce_scatter) == ranks + 1);
  }
}

TEST_CASE("bytes between GPUs and between sockets") {
  const auto of = [](std::string_view algorithm, int ranks, int gpus, int sockets) {
    const Layout layout = layout_in_turn(ranks, gpus, sockets);
    return crossings(allreduce(algorithm, layout), layout, sockets_of(layout, sockets));
  };
  // One GPU, whose ranks are on two sockets: only the host's memory is reached from the other one.
  for (const char* algorithm : {"shared-buffer", "binomial", "leader-fused"}) {
    CHECK(of(algorithm, 16, 1, 2).gpus == 0);
    CHECK(of(algorithm, 16, 1, 2).sockets == 0);
  }
  // Half of the processes read their sixteenth of 16 vectors there, and write one.
  CHECK(of("staged-host", 16, 1, 2).sockets == doctest::Approx(8 * 17 / 16.0));
  // Four GPUs, two on each socket, four ranks on each.
  CHECK(of("shared-buffer", 16, 4, 2).gpus == 2 * 12);
  CHECK(of("shared-buffer", 16, 4, 2).sockets == 2 * 8);
  CHECK(of("leader-fused", 16, 4, 2).gpus == 2 * 12);
  CHECK(of("leader-fused", 16, 4, 2).sockets == 2 * 8);
  CHECK(of("staged-host", 16, 4, 2).gpus == 0);
  CHECK(of("staged-host", 16, 4, 2).sockets == doctest::Approx(2 * 8 + 8 * 17 / 16.0));
  CHECK(of("one-shot", 16, 4, 2).gpus == 4 * 3);
  CHECK(of("one-shot", 16, 4, 2).sockets == 4 * 2);
  CHECK(of("two-shot", 16, 4, 2).gpus == doctest::Approx(2 * 3));
  CHECK(of("two-shot", 16, 4, 2).sockets == doctest::Approx(2 * 2));
  // Half of a vector around each socket and back, then the quarters across and back.
  CHECK(of("ring", 16, 4, 2).gpus == doctest::Approx(2 * (2 * 1 + 1)));
  CHECK(of("ring", 16, 4, 2).sockets == doctest::Approx(2));
  CHECK(of("ring", 8, 8, 4).sockets == doctest::Approx(2 * 3));
}

TEST_CASE("half the ranks of the binomial tree have scratch memory") {
  for (int ranks = 2; ranks <= 16; ++ranks) {
    const Plan plan = binomial(layout_in_turn(ranks));
    CHECK(std::ranges::count(plan.scratch_parts, 1) == ranks / 2);
  }
}

TEST_CASE("programs' buffers are only opened by who leads on their GPU") {
  const Layout layout = layout_in_turn(6, 2);
  for (const auto make : {one_shot, two_shot, ring}) {
    const Plan plan = make(layout);
    CHECK(ranks_with_opened_buffers(plan) == std::vector<std::set<int>>{{2, 4}, {3, 5}, {}, {}, {}, {}});
    for (const int rank : {2, 3, 4, 5}) CHECK_FALSE(reduces_on_gpu(plan, rank));
  }
}

TEST_CASE("every plan is right in any order of events") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (const Layout& layout : {layout_in_turn(ranks), across_nodes(layout_in_turn(ranks))}) {
      for (const Plan& plan : all_plans(layout)) {
        CAPTURE(told(plan));
        CHECK(simulate_many(plan, 60) == "");
      }
    }
  }
  for (const Plan& plan : all_plans(layout_in_turn(16))) CHECK(simulate_many(plan, 6) == "");
}

TEST_CASE("every plan is right on several GPUs") {
  constexpr std::array<std::array<int, 3>, 16> kLayouts{{{2, 2, 1},
                                                         {3, 2, 1},
                                                         {3, 3, 1},
                                                         {4, 2, 2},
                                                         {4, 4, 1},
                                                         {4, 4, 2},
                                                         {5, 4, 2},
                                                         {5, 5, 2},
                                                         {6, 6, 2},
                                                         {6, 6, 3},
                                                         {8, 4, 1},
                                                         {8, 8, 1},
                                                         {8, 8, 2},
                                                         {8, 8, 4},
                                                         {9, 9, 3},
                                                         {16, 8, 2}}};
  for (const std::array<int, 3>& shape : kLayouts) {
    const Layout layout = layout_in_turn(shape[0], shape[1], shape[2]);
    for (const auto make : {one_shot, two_shot, ring}) {
      const Plan plan = make(layout);
      CAPTURE(told(plan));
      CAPTURE(layout.gpus());
      CAPTURE(shape[2]);
      CHECK(simulate_many(plan, 60) == "");
    }
  }
}

namespace {

void check_every_wait(const std::vector<Plan>& plans) {
  // Most errors are found long before this; the exception is where a rank must lag very far behind.
  constexpr int kRuns = 40000;
  for (const Plan& plan : plans) {
    for (std::size_t rank = 0; rank < plan.steps.size(); ++rank) {
      for (std::size_t i = 0; i < plan.steps[rank].size(); ++i) {
        if (!orders(plan.steps[rank][i])) continue;
        CAPTURE(told(plan));
        CAPTURE(rank);
        CAPTURE(describe(plan.steps[rank][i], static_cast<int>(rank)));
        CHECK(simulate_many(without(plan, rank, i), kRuns) != "");
      }
    }
  }
}

std::vector<Plan> plans_on_several_gpus(const Layout& layout) {
  return {one_shot(layout), two_shot(layout), ring(layout)};
}

}  // namespace

TEST_CASE("every wait of every plan is needed, and the simulation finds what goes wrong without it") {
  for (const int ranks : {2, 4}) check_every_wait(all_plans(layout_in_turn(ranks)));
  check_every_wait(all_plans(across_nodes(layout_in_turn(3))));
  check_every_wait(plans_on_several_gpus(layout_in_turn(4, 3)));
}

TEST_CASE("every wait of every plan is needed, in larger plans" * doctest::test_suite("wide")) {
  check_every_wait(all_plans(layout_in_turn(6)));
  for (const Layout& layout : {layout_in_turn(2, 2), layout_in_turn(4, 4, 2)})
    check_every_wait(plans_on_several_gpus(layout));
}

TEST_CASE("negative control: one event for all ranks, as in the paper, gives wrong results; one for each does not") {
  CHECK(simulate_many(shared_buffer_by_events(4, true), 2000).find("wrong result") != std::string::npos);
  CHECK(simulate_many(shared_buffer_by_events(4, false), 2000) == "");
  CHECK(simulate_many(shared_buffer_by_events(2, true), 2000) == "");  // with one other rank, no events can be mixed up
}

TEST_CASE("negative control: without an acknowledged copy of the result, as in the paper, it is overwritten") {
  Plan plan = shared_buffer(layout_in_turn(4));
  std::erase_if(plan.steps[0], [](const Step& step) { return step.flag == Flag::taken; });
  CHECK(simulate_many(plan, 2000).find("wrong result") != std::string::npos);
}

TEST_CASE("the simulation says who waits for what in vain") {
  Plan plan = allreduce("leader-fused", layout_in_turn(3));
  std::erase_if(plan.steps[0], [](const Step& step) { return step.action == Action::signal; });
  CHECK(simulate_many(plan, 1) == "all wait: rank 0, repetition 2, until rank 1 says: arrived");
}

TEST_CASE("a plan can be read") {
  CHECK(describe(allreduce("leader-fused", layout_in_turn(2))) ==
        "leader-fused, 2 ranks: moves 4 m in GPU memory\n"
        "rank 0\n"
        "  until rank 1 says: arrived   (once a call)\n"
        "  say: agreed   (once a call)\n"
        "  reduce input, input of rank 1 -> output, output of rank 1\n"
        "  until this has happened\n"
        "  say: complete\n"
        "rank 1\n"
        "  say: arrived   (once a call)\n"
        "  until rank 0 says: agreed   (once a call)\n"
        "  until rank 0 says: complete\n");
  const std::string text = describe(binomial(layout_in_turn(4)));
  CHECK(text.find("copy output -> scratch 0 of rank 2\n") != std::string::npos);
  CHECK(text.find("until rank 3 says: taken in the repetition before\n") != std::string::npos);
  CHECK(text.find("say: ready (level 1)\n") != std::string::npos);
  CHECK(describe(allreduce("staged-host", layout_in_turn(4)))
            .find("reduce staging 0 .. staging 3 -> staging 4, part 2 of 4\n") != std::string::npos);
}

TEST_CASE("an algorithm is found by its name") {
  CHECK(algorithms()[find_algorithm("binomial")].name == "binomial");
  CHECK_THROWS_WITH_AS(static_cast<void>(find_algorithm("binomal")), doctest::Contains("binomial"), Error);
}
