// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/bound/flow_bound.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <tests/fixtures/brute_force.hpp>
#include <tests/fixtures/machines.hpp>
#include <tests/fixtures/mapping_problems.hpp>

#include <topowise/mapper/bound/level_bound.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/problem/mapper_functions.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

/// Tries all ways to divide the ranks into groups of at most `largest`.
class Groups {
 public:
  Groups(const Traffic& traffic, std::size_t largest)
      : traffic_(traffic), largest_(largest), group_of_(traffic.ranks()), size_(traffic.ranks(), 0) {
    place(0, 0);
  }
  [[nodiscard]] double least() const { return least_; }

 private:
  void place(std::size_t rank, std::size_t groups) {
    if (rank == group_of_.size()) {
      double bytes = 0;
      for (const TrafficEntry& entry : traffic_.entries()) {
        if (group_of_[entry.source.index()] != group_of_[entry.destination.index()]) bytes += entry.bytes.value();
      }
      least_ = std::min(least_, bytes);
      return;
    }
    for (std::size_t g = 0; g <= groups && g < group_of_.size(); ++g) {
      if (size_[g] == largest_) continue;
      ++size_[g];
      group_of_[rank] = g;
      place(rank + 1, std::max(groups, g + 1));
      --size_[g];
    }
  }

  const Traffic& traffic_;
  std::size_t largest_;
  std::vector<std::size_t> group_of_;
  std::vector<std::size_t> size_;
  double least_ = std::numeric_limits<double>::infinity();
};

Traffic all_pairs(std::size_t ranks) {
  std::vector<TrafficEntry> entries;
  for (std::size_t a = 0; a < ranks; ++a) {
    for (std::size_t b = 0; b < ranks; ++b) {
      if (a != b) entries.push_back({Rank(a), Rank(b), Bytes(1), 1});
    }
  }
  return Traffic::from_entries(ranks, std::move(entries));
}

}  // namespace

TEST_CASE("flow bound: never above the fewest bytes between groups, of hundreds of random graphs") {
  Random random(31);
  double share = 0;
  int rounds = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 2 + random.below(6);
    const double density[] = {0.15, 0.3, 0.6, 1};
    // A pair sends one way, or both ways with different bytes.
    const Traffic traffic = random_traffic(ranks, density[round % 4], random);
    const std::size_t largest = 1 + random.below(static_cast<std::uint32_t>(ranks));
    const double bound = FlowBound(traffic).bytes_between(largest, round % 5 == 0 ? 20 : 2000);
    const double least = Groups(traffic, largest).least();
    CHECK(bound >= 0);
    CHECK(bound <= least);
    if (least == 0 || round % 5 == 0) continue;
    share += bound / least;
    ++rounds;
  }
  CHECK(rounds > 150);
  CHECK(share / rounds > 0.5);
}

TEST_CASE("flow bound: a large share of what is known by hand") {
  // All pairs of 12 ranks in groups of 3: every rank has 9 of its 11 partners elsewhere.
  const double pairs = FlowBound(all_pairs(12)).bytes_between(3, 1e5);
  CHECK(pairs <= 12 * 9);
  CHECK(pairs > 0.8 * 12 * 9);
  // A square of 64 x 64 in 16 squares of 16 x 16: six lines of 64 edges separate them, with one byte each way.
  const FlowBound square(grid({64, 64}, {1, 1}, false));
  CHECK(square.bytes_between(256, 1e6) <= 2 * 6 * 64);
  CHECK(square.bytes_between(256, 1e6) > 0.5 * 2 * 6 * 64);
  CHECK(square.bytes_between(256, 3e4) > 0.1 * 2 * 6 * 64);
  // Two parts of at most 3 % more than half: the best cut is a straight line.
  CHECK(square.bytes_between(2109, 1e6) <= 2 * 64);
  CHECK(square.bytes_between(2109, 1e6) > 0.3 * 2 * 64);
  // A path of 64 ranks in four parts: three edges are cut.
  CHECK(FlowBound(grid({64}, {1}, false)).bytes_between(16, 1e5) <= 2 * 3);
  CHECK(FlowBound(grid({64}, {1}, false)).bytes_between(16, 1e5) > 0.3 * 2 * 3);
}

TEST_CASE("flow bound: nothing where nothing has to cross") {
  CHECK(FlowBound(Traffic::from_entries(8, {})).bytes_between(2, 1e4) == 0);
  std::vector<TrafficEntry> entries;
  for (std::size_t pair = 0; pair < 50; ++pair) entries.push_back({Rank(2 * pair), Rank(2 * pair + 1), Bytes(1e9), 1});
  const FlowBound pairs(Traffic::from_entries(100, std::move(entries)));
  CHECK(pairs.bytes_between(2, 1e4) == 0);
  CHECK(pairs.bytes_between(1, 1e4) <= 50e9);
  CHECK(pairs.bytes_between(1, 1e4) > 40e9);
  CHECK(pairs.bytes_between(100, 1e4) == 0);
}

TEST_CASE("flow bound: bytes of very different size, and a rank that talks to all") {
  std::vector<TrafficEntry> entries;
  std::vector<double> spokes;
  for (std::size_t r = 1; r < 200; ++r) {
    spokes.push_back(std::pow(10.0, static_cast<double>(r % 12)));
    entries.push_back({Rank(0), Rank(r), Bytes(spokes.back()), 1});
    if (r + 1 < 200) entries.push_back({Rank(r), Rank(r + 1), Bytes(1e-3), 1});
  }
  std::ranges::sort(spokes);
  // 100 of the 200 ranks are separated from rank 0, at best those to which it sends least. The rim has 0.2 bytes in
  // all.
  const double least = std::accumulate(spokes.begin(), spokes.begin() + 100, 0.2);
  const double bound = FlowBound(Traffic::from_entries(200, std::move(entries))).bytes_between(100, 1e5);
  CHECK(bound > 0);
  CHECK(bound <= least);
}

TEST_CASE("flow bound: raises the bound of a mapping problem, with any number of threads the same" *
          doctest::test_suite("threads")) {
  const Traffic whole = grid({48, 48}, {1, 2}, false);
  std::vector<TrafficEntry> entries;  // one pair is left out: the traffic is no grid any more
  for (const TrafficEntry& entry : whole.entries())
    if (entry.source.index() + entry.destination.index() != 1) entries.push_back(entry);
  MapProblem problem{.traffic = renumbered(Traffic::from_entries(48 * 48, std::move(entries)), 5),
                     .topology = multilevel::uniform_tree({3, 4, 4})};
  problem.ranks_per_place = 48;
  const Seconds half(0.5);  // seconds of counted work; the clock must not decide
  const auto options = [&](int threads) {
    return MapOptions{.time_limit = Seconds(1000), .threads = threads, .bound_time = half};
  };
  const double one = lower_bound(problem, Budget(options(1)));
  CHECK(lower_bound(problem, Budget(options(3))) == one);
  CHECK(one > 2 * quick_lower_bound(problem));
  CHECK(one <= cost_of(problem, fill_in_order(problem)));
}

TEST_CASE("flow bound: no mapping is below, whatever the machine, the capacity and the traffic") {
  Random random(32);
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 4 + random.below(4);
    MapProblem problem{.traffic = random_traffic(ranks, 0.2 + 0.2 * (round % 4), random),
                       .topology = round % 3 == 0   ? tree({2, 3})
                                   : round % 3 == 1 ? random_matrix(4 + random.below(2), 1 + round % 2, random)
                                                    : multilevel::torus({5})};
    problem.ranks_per_place = 2 + round % 2;
    if (round % 7 == 0) problem.imbalance = 0.2;
    const Budget budget(MapOptions{.time_limit = Seconds(600)});
    const MapperAnswer exact = map_exact(problem, budget);
    REQUIRE(exact.proven_optimal);
    const double optimum = cost_of(problem, exact.mapping) * (1 + 1e-12);
    CHECK(level_bound(problem, Partners(problem.traffic), {.steps = 3000}) <= optimum);
    CHECK(lower_bound(problem, budget) <= optimum);
  }
}
