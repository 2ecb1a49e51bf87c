// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/collective/plan/algorithms.hpp>
#include <topowise/collective/plan/binomial.hpp>
#include <topowise/collective/plan/leader_fused.hpp>
#include <topowise/collective/plan/shared_buffer.hpp>
#include <topowise/collective/plan/simulation.hpp>
#include <topowise/collective/plan/staged_host.hpp>

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

/// The paper's section 3.1 as it is printed: a rank says that it has copied as soon as the copy is begun, all record
/// one event (or, to compare, each its own), and rank 0 waits for what was recorded last.
Plan shared_buffer_by_events(int ranks, bool one_event) {
  Plan plan = shared_buffer(ranks);
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
    CHECK(movement(shared_buffer(ranks)).gpu == 5 * ranks + 1);
    CHECK(movement(leader_fused(ranks)).gpu == 2 * ranks);
    if (ranks > 1) CHECK(movement(binomial(ranks)).gpu == 9 * ranks - 5);
    const Movement staged = movement(staged_host(ranks));
    CHECK(staged.gpu == 2 * ranks);  // read, and written
    CHECK(staged.bus == 2 * ranks);
    CHECK(staged.host == 2 * ranks + ranks + 1);  // copied in and out, read and written by the reduction
  }
}

TEST_CASE("half the ranks of the binomial tree have scratch memory") {
  for (int ranks = 2; ranks <= 16; ++ranks) {
    const Plan plan = binomial(ranks);
    CHECK(std::ranges::count(plan.scratch_parts, 1) == ranks / 2);
  }
}

TEST_CASE("every plan is right in any order of events") {
  for (const AllreduceAlgorithm& algorithm : algorithms()) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
      CAPTURE(algorithm.name);
      CAPTURE(ranks);
      CHECK(simulate_many(algorithm.plan(ranks), 60) == "");
    }
    CHECK(simulate_many(algorithm.plan(16), 10) == "");
  }
}

TEST_CASE("every wait of every plan is needed, and the simulation finds what goes wrong without it") {
  constexpr int kRuns = 4000;
  for (const AllreduceAlgorithm& algorithm : algorithms()) {
    for (const int ranks : {2, 4, 6}) {
      const Plan plan = algorithm.plan(ranks);
      for (std::size_t rank = 0; rank < plan.steps.size(); ++rank) {
        for (std::size_t i = 0; i < plan.steps[rank].size(); ++i) {
          if (!orders(plan.steps[rank][i])) continue;
          CAPTURE(algorithm.name);
          CAPTURE(ranks);
          CAPTURE(rank);
          CAPTURE(describe(plan.steps[rank][i], static_cast<int>(rank)));
          CHECK(simulate_many(without(plan, rank, i), kRuns) != "");
        }
      }
    }
  }
}

TEST_CASE("negative control: one event for all ranks, as in the paper, gives wrong results; one for each does not") {
  CHECK(simulate_many(shared_buffer_by_events(4, true), 2000).find("wrong result") != std::string::npos);
  CHECK(simulate_many(shared_buffer_by_events(4, false), 2000) == "");
  CHECK(simulate_many(shared_buffer_by_events(2, true), 2000) == "");  // with one other rank there is nothing to mix up
}

TEST_CASE("negative control: without an acknowledged copy of the result, as in the paper, it is overwritten") {
  Plan plan = shared_buffer(4);
  std::erase_if(plan.steps[0], [](const Step& step) { return step.flag == Flag::taken; });
  CHECK(simulate_many(plan, 2000).find("wrong result") != std::string::npos);
}

TEST_CASE("the simulation tells who waits for what in vain") {
  Plan plan = leader_fused(3);
  std::erase_if(plan.steps[0], [](const Step& step) { return step.action == Action::signal; });
  CHECK(simulate_many(plan, 1) == "all wait: rank 0, repetition 2, until rank 1 says: arrived");
}

TEST_CASE("a plan can be read") {
  CHECK(describe(leader_fused(2)) ==
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
  const std::string text = describe(binomial(4));
  CHECK(text.find("copy output -> scratch 0 of rank 2\n") != std::string::npos);
  CHECK(text.find("until rank 3 says: taken in the repetition before\n") != std::string::npos);
  CHECK(text.find("say: ready (level 1)\n") != std::string::npos);
  CHECK(describe(staged_host(4)).find("reduce staging 0 .. staging 3 -> staging 4, part 2 of 4\n") !=
        std::string::npos);
}

TEST_CASE("an algorithm is found by its name") {
  CHECK(algorithms()[find_algorithm("binomial")].name == "binomial");
  CHECK_THROWS_WITH_AS(static_cast<void>(find_algorithm("binomal")), doctest::Contains("binomial"), Error);
}
