// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exact/group_mapping.hpp>

#include <doctest/doctest.h>

#include <algorithm>

#include <tests/fixtures/machines.hpp>
#include <tests/fixtures/standing_clock.hpp>

#include <topowise/mapper/exact/group_costs.hpp>
#include <topowise/mapper/exact/subset_mapping.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/mapper_functions.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

constexpr std::size_t kNoLimit = 1'000'000'000;

MapperAnswer in_order(const MapProblem& problem) {
  MapperAnswer answer{.mapping = fill_in_order(problem)};
  answer.cost = cost_of(problem, answer.mapping);
  return answer;
}

double least_crossing(const PairBytes& bytes) {
  double least = bytes.crossing(1) * static_cast<double>(bytes.ranks());
  for (RankSet set = 0; set < RankSet{1} << bytes.ranks(); ++set) {
    if (static_cast<std::size_t>(std::popcount(set)) * 2 == bytes.ranks()) least = std::min(least, bytes.crossing(set));
  }
  return least;
}

}  // namespace

TEST_CASE("sets of ranks are numbered in order, each once") {
  for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{5, 2}, {16, 4}, {17, 1}, {20, 3}, {19, 8}, {8, 8}}) {
    CAPTURE(n);
    CAPTURE(k);
    const KSubsets sets(n, k);
    CHECK(static_cast<double>(sets.size()) == KSubsets::count(n, k));
    std::vector<RankSet> all(sets.size(), 0);
    for (const KSubsets::Run& run : sets.runs()) {
      std::size_t number = run.first;
      for (const std::uint16_t low : sets.lows(run)) {
        CHECK(KSubsets::number(run.high | low) == number);
        all[number++] = run.high | low;
      }
    }
    CHECK(std::ranges::is_sorted(all));
    CHECK(all.front() == (RankSet{1} << k) - 1);
    CHECK(static_cast<std::size_t>(std::popcount(all.back())) == k);
    CHECK(all.back() < RankSet{1} << n);
  }
}

TEST_CASE("machines whose nodes are alike have a plan, others have none") {
  const auto plan_of = [](const Topology& machine, std::size_t ranks) {
    return plan_groups(*find_hierarchy({.traffic = grid({2}, {1}, false), .topology = machine}), ranks);
  };
  CHECK(plan_of(tree({4, 8}), 32)->node_levels == 2);
  CHECK(plan_of(tree({2, 2, 2, 2, 2}), 32)->node_levels == 4);
  CHECK(plan_of(tree({16, 4}), 64)->node_levels == 2);
  CHECK(plan_of(tree({2, 4}, 2), 16)->node_levels == 2);
  CHECK(plan_of(tree({2, 16}), 32)->node_levels == 1);  // the nodes are the halves, made of single places
  CHECK_FALSE(plan_of(tree({4, 8}), 31));               // a place stays empty
  CHECK_FALSE(plan_of(tree({3, 12}), 36));              // nodes are too large
  CHECK_FALSE(plan_of(tree({8, 8}), 64));               // too many sets
  CHECK_FALSE(plan_of(tree({3, 2, 8}), 48));            // there are three groups of nodes
  const Topology uneven =
      from_distances({0, 1, 3, 3, 3, 1, 0, 3, 3, 3, 3, 3, 0, 2, 2, 3, 3, 2, 0, 2, 3, 3, 2, 2, 0}, {1, 1, 1, 1, 1});
  CHECK_FALSE(plan_of(uneven, 5));
}

TEST_CASE("dynamic programming over all sets agrees") {
  Random random(11);
  const std::vector<std::vector<int>> shapes{{3, 4}, {2, 2, 4}, {4, 2, 2}, {2, 2, 2, 2}, {7, 2},
                                             {2, 7}, {2, 2, 3}, {12},      {2, 9}};
  for (int round = 0; round < 72; ++round) {
    CAPTURE(round);
    const std::vector<int>& shape = shapes[static_cast<std::size_t>(round) % shapes.size()];
    const Topology machine = tree(shape);
    const std::size_t ranks = machine.place_count();
    MapProblem problem{.traffic = random_traffic(ranks, 0.15 + 0.2 * (round % 4), random), .topology = machine};
    if (round % 5 == 4) problem.metric = Metric::bandwidth;  // costs are no whole numbers
    const auto hierarchy = find_hierarchy(problem);
    REQUIRE(hierarchy);
    const auto plan = plan_groups(*hierarchy, ranks);
    REQUIRE(plan);
    const double step = make_instance(problem).step;
    const MapperAnswer answer =
        group_mapping(*hierarchy, *plan, problem, in_order(problem), step, Budget(without_limit()));
    const double least = cost_of(problem, *subset_mapping(*hierarchy, problem, Deadline::never()));
    CHECK(answer.proven_optimal);
    CHECK(answer.cost == doctest::Approx(least));
    CHECK(answer.lower_bound <= least * (1 + 1e-12));
    CHECK(cost_of(problem, answer.mapping) == answer.cost);
  }
}

TEST_CASE("places that hold several ranks are filled") {
  Random random(12);
  for (int round = 0; round < 10; ++round) {
    CAPTURE(round);
    const MapProblem problem{.traffic = random_traffic(12, 0.4, random), .topology = tree({2, 3}, 2)};
    const auto hierarchy = find_hierarchy(problem);
    const auto plan = plan_groups(*hierarchy, 12);
    REQUIRE(plan);
    const MapperAnswer answer = group_mapping(*hierarchy, *plan, problem, in_order(problem),
                                              make_instance(problem).step, Budget(without_limit()));
    CHECK(answer.proven_optimal);
    CHECK(answer.cost == cost_of(problem, *subset_mapping(*hierarchy, problem, Deadline::never())));
  }
}

TEST_CASE("prices bound every cut from below") {
  Random random(13);
  for (int round = 0; round < 10; ++round) {
    const MapProblem problem{.traffic = random_traffic(12, 0.5, random), .topology = tree({3, 4})};
    const auto hierarchy = find_hierarchy(problem);
    const PairBytes bytes(problem.traffic);
    const std::vector<GroupLevel> levels = uniform_groups(*hierarchy);
    GroupCosts costs(levels, bytes);
    REQUIRE(costs.fill(2, Deadline::never()));
    const double least = cost_of(problem, *subset_mapping(*hierarchy, problem, Deadline::never()));
    const PriceSearch search{.target = least, .rounds = 40};
    const RankPrices prices = find_prices(costs.sets(), costs.costs(), 12, search, Deadline::never());
    CHECK(prices.bound(3) <= least * (1 + 1e-12));
    CHECK(prices.bound(3) >= 0.9 * least);
    for (const PricedSet& each : cheap_sets(costs.sets(), costs.costs(), prices, 1e300, kNoLimit))
      CHECK(each.excess >= -1e-9 * least);
    CHECK(cheap_sets(costs.sets(), costs.costs(), prices, 1e300, kNoLimit).size() == costs.sets().size());
    CHECK(cheap_sets(costs.sets(), costs.costs(), prices, 1e300, 10).empty());
  }
}

TEST_CASE("all halves up to a limit are visited, once") {
  Random random(14);
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    const Traffic traffic = random_traffic(2 * (1 + random.below(6)), 0.3, random);
    const PairBytes bytes(traffic);
    const double least = least_crossing(bytes);
    std::vector<RankSet> seen;
    double cheapest = 1e300;
    visit_cheap_halves(bytes, least * 1.2, kNoLimit, Deadline::never(), [&](RankSet half, double crossing) {
      CHECK(crossing == doctest::Approx(bytes.crossing(half)));
      CHECK((half & 1) == 1);
      seen.push_back(half);
      cheapest = std::min(cheapest, crossing);
      return least * 1.2;
    });
    CHECK(cheapest == doctest::Approx(least));
    std::ranges::sort(seen);
    CHECK(std::ranges::adjacent_find(seen) == seen.end());
    std::size_t expected = 0;
    for (RankSet set = 1; set < RankSet{1} << bytes.ranks(); set += 2) {
      if (static_cast<std::size_t>(std::popcount(set)) * 2 == bytes.ranks() && bytes.crossing(set) <= least * 1.2)
        ++expected;
    }
    CHECK(seen.size() == expected);
  }
}

TEST_CASE("24 ranks on three nodes of eight are proven") {
  Random random(15);
  const MapProblem problem{.traffic = random_traffic(24, 0.15, random), .topology = tree({3, 2, 4})};
  const MapperAnswer answer = map_exact(problem, Budget({.time_limit = Seconds(600)}));
  CHECK(answer.proven_optimal);
  CHECK(answer.lower_bound == answer.cost);
  CHECK(cost_of(problem, answer.mapping) == answer.cost);
}

TEST_CASE("ranks that leave places empty are proven, too") {
  Random random(18);
  const MapProblem drawn{.traffic = random_traffic(21, 0.3, random), .topology = tree({3, 8})};
  const Budget budget({.time_limit = Seconds(600)});
  const MapperAnswer best = map_exact(drawn, budget);
  CHECK(best.proven_optimal);
  REQUIRE(best.mapping.ranks() == 21);
  CHECK(best.cost == cost_of(drawn, best.mapping));
  CHECK(best.cost <= map_ranks(drawn, "multilevel", {.effort = 0.1}).cost);
  // Three groups of seven ranks talk much inside, and a little with the next group: each group gets a node, and some
  // slots stay empty.
  std::vector<TrafficEntry> entries;
  double least = 0;
  for (std::size_t i = 0; i < 21; ++i) {
    for (std::size_t j = 0; j < 21; ++j) {
      const bool together = i % 3 == j % 3;
      if (i == j || (!together && j != i + 1)) continue;
      entries.push_back({Rank(i), Rank(j), Bytes(together ? 10 : 1)});
      least += together ? 10 : 2;
    }
  }
  const MapProblem groups{.traffic = Traffic::from_entries(21, std::move(entries)), .topology = tree({3, 8})};
  const MapperAnswer found = map_exact(groups, budget);
  CHECK(found.proven_optimal);
  CHECK(found.cost == least);
}

TEST_CASE("the answer is the same for any number of threads" * doctest::test_suite("threads")) {
  Random random(16);
  const MapProblem problem{.traffic = random_traffic(18, 0.3, random), .topology = tree({3, 2, 3})};
  const auto hierarchy = find_hierarchy(problem);
  const auto answer = [&](int threads) {
    return group_mapping(*hierarchy, *plan_groups(*hierarchy, 18), problem, in_order(problem), 0,
                         Budget({.time_limit = Seconds(600), .threads = threads}));
  };
  const MapperAnswer alone = answer(1);
  const MapperAnswer together = answer(3);
  CHECK(std::ranges::equal(alone.mapping.places(), together.mapping.places()));
  CHECK(alone.lower_bound == together.lower_bound);
}

TEST_CASE("without time the start is the answer") {
  const MapProblem problem{.traffic = grid({4, 4}, {3, 1}, false), .topology = tree({2, 2, 2, 2})};
  const auto hierarchy = find_hierarchy(problem);
  const MapperAnswer start = in_order(problem);
  const MapperAnswer answer =
      group_mapping(*hierarchy, *plan_groups(*hierarchy, 16), problem, start, 0, Budget({.time_limit = Seconds(0)}));
  CHECK(std::ranges::equal(answer.mapping.places(), start.mapping.places()));
  CHECK_FALSE(answer.proven_optimal);
}
