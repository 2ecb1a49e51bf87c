// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>

#include <tests/fixtures/machines.hpp>
#include <tests/paper_machines.hpp>

#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/search/arrangements.hpp>
#include <topowise/predict/objective/predicted_time.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

constexpr std::size_t kMost = 1'000'000;

MapProblem problem_of(Traffic traffic, Topology topology) {
  return {.traffic = std::move(traffic), .topology = std::move(topology)};
}

std::size_t count(const MapProblem& problem) {
  return Arrangements(problem).count(kMost);
}

/// Ends after some mappings, and remembers the last one.
class Some final : public ArrangementVisitor {
 public:
  explicit Some(int most) : left_(most) {}
  bool visit(const std::vector<Place>& places) override {
    last = places;
    return --left_ > 0;
  }
  std::vector<Place> last;

 private:
  int left_;
};

std::vector<Place> exchanged(std::vector<Place> places, const AlikeGroups& groups) {
  for (Place& place : places) {
    for (std::size_t i = 0; i < groups.first.size(); ++i) {
      if (place == groups.first[i]) {
        place = groups.second[i];
      } else if (place == groups.second[i]) {
        place = groups.first[i];
      }
    }
  }
  return places;
}

/// Exchanges every two groups that are said to be alike under random mappings. Returns how many such groups there are.
std::size_t check_alike(const MapProblem& problem, Random& random) {
  PredictedTime time(problem.traffic, problem.topology);
  const std::vector<AlikeGroups> all = alike_groups(problem);
  for (const AlikeGroups& groups : all) {
    std::vector<Place> places = slots(problem);
    for (std::size_t left = places.size(); left > 1; --left)
      std::swap(places[left - 1], places[random.below(static_cast<std::uint32_t>(left))]);
    places.resize(problem.traffic.ranks());
    const Mapping before(places);
    const Mapping after(exchanged(places, groups));
    CHECK(time(after).value() == doctest::Approx(time(before).value()).epsilon(1e-12));
    CHECK(cost_of(problem, after) == doctest::Approx(cost_of(problem, before)).epsilon(1e-12));
  }
  return all.size();
}

}  // namespace

TEST_CASE("arrangements: one of those that a tree cannot distinguish") {
  const Traffic eight = grid({8}, {1}, false);
  CHECK(count(problem_of(eight, tree({8}))) == 1);
  CHECK(count(problem_of(eight, tree({2, 2, 2}))) == 315);  // 8! / 2^7
  CHECK(count(problem_of(grid({4}, {1}, false), tree({2, 2, 2}))) == 27);
  CHECK(count(problem_of(grid({4}, {1}, false), tree({2, 2}, 2))) == 27);  // two ranks may share a place
}

TEST_CASE("arrangements: of places that all differ, all") {
  Random random(5);
  CHECK(count(problem_of(grid({5}, {1}, false), random_matrix(6, 1, random))) == 720);
}

TEST_CASE("arrangements: fixed ranks stay, and what they are on has no like") {
  MapProblem problem = problem_of(grid({4}, {1}, false), tree({2, 2}));
  CHECK(count(problem) == 3);
  problem.fixed = {{Rank(2), Place(1)}};
  CHECK(count(problem) == 3);
  Arrangements all(problem);
  Some some(100);
  CHECK(all.each(some));
  CHECK(some.last[2] == Place(1));
  problem.fixed.push_back({Rank(0), Place(2)});
  CHECK(count(problem) == 2);
}

TEST_CASE("arrangements: no more are counted than asked for, and a visitor can end it") {
  const MapProblem problem = problem_of(grid({8}, {1}, false), tree({2, 2, 2}));
  Arrangements all(problem);
  CHECK(all.count(10) == 11);
  Some some(2);
  CHECK_FALSE(all.each(some));
  CHECK(some.last.size() == 8);
}

TEST_CASE("partial time: never above the time of a whole mapping, and back to nothing when all ranks have left") {
  Random random(8);
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    const bool shared = round % 4 == 3;
    MapProblem problem = problem_of(random_traffic(6, 0.5, random),
                                    round % 2 == 0 ? testing::t2_machine() : tree({2, 2, 2}, shared ? 2 : 1));
    PredictedTime time(problem.traffic, problem.topology);
    PartialTime partial(problem);
    std::vector<Place> places = slots(problem);
    for (std::size_t left = places.size(); left > 1; --left)
      std::swap(places[left - 1], places[random.below(static_cast<std::uint32_t>(left))]);
    places.resize(6);
    const double whole = time(Mapping(places)).value();
    double before = 0;
    for (std::size_t rank = 0; rank < 6; ++rank) {
      partial.put(rank, places[rank]);
      CHECK(partial.at_least() >= before);
      before = partial.at_least();
    }
    CHECK(before <= whole * (1 + 1e-9));
    for (std::size_t rank = 0; rank < 6; ++rank) partial.take_away();
    CHECK(partial.at_least() == 0);
  }
  const MapProblem pair = problem_of(grid({2}, {1e9}, false), tree({2}));
  PartialTime partial(pair);
  partial.put(0, Place(0));
  partial.put(1, Place(1));
  CHECK(partial.at_least() == doctest::Approx(1));
}

TEST_CASE("alike groups: whatever changes places with its like takes as long, and has as many hop-bytes") {
  Random random(6);
  for (int round = 0; round < 4; ++round) {
    CAPTURE(round);
    const Traffic traffic = random_traffic(6, 0.5, random);
    CHECK(check_alike(problem_of(traffic, testing::t2_machine()), random) >= 6);
    CHECK(check_alike(problem_of(traffic, tree({2, 2, 2})), random) >= 7);
    CHECK(check_alike(problem_of(traffic, tree({2, 3}, 2)), random) >= 7);
    (void)check_alike(problem_of(traffic, ring(8, random)), random);
  }
}

TEST_CASE("alike groups: a slower link, a capacity or a measured pair makes a difference") {
  const Traffic traffic = grid({4}, {1}, false);
  const MapProblem same = problem_of(traffic, tree({2, 2}));
  CHECK(alike_groups(same).size() == 3);
  TopologyBuilder slower(same.topology);
  slower.set_bandwidth(same.topology.links_from(same.topology.place(Place(0)).vertex).front(), BytesPerSecond(1),
                       "test");
  CHECK(alike_groups(problem_of(traffic, std::move(slower).build())).size() == 1);
  TopologyBuilder roomy(same.topology);
  roomy.set_capacity(Place(3), 2);
  CHECK(alike_groups(problem_of(traffic, std::move(roomy).build())).size() == 1);
  TopologyBuilder measured(same.topology);
  std::vector<double> rates(16, 1e9);
  rates[1] = 2e9;
  measured.set_pair_matrix(Metric::bandwidth, {.values = rates, .source = "test"});
  CHECK(alike_groups(problem_of(traffic, std::move(measured).build())).size() == 1);
}
