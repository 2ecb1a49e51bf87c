// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/problem/budget.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/machines.hpp>

#include <topowise/mapper/mapper.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

/// A clock that stands still until it is turned.
class TurnedClock final : public Clock {
 public:
  [[nodiscard]] Seconds now() const override { return now_; }
  void turn(double seconds) { now_ += Seconds(seconds); }

 private:
  Seconds now_{1000};
};

/// A clock that advances by a second at every look.
class HastyClock final : public Clock {
 public:
  [[nodiscard]] Seconds now() const override { return Seconds(looks_++); }

 private:
  mutable std::atomic<int> looks_{0};
};

}  // namespace

TEST_CASE("budget: a stage has its share of the time, and ends with the whole at the latest") {
  TurnedClock clock;
  const Budget whole(MapOptions{.time_limit = Seconds(10), .effort = 0.5, .clock = &clock});
  CHECK(whole.work() == 5);
  const Budget first = whole.stage(0.25);
  CHECK(first.time() == Seconds(2.5));
  CHECK(first.work() == 1.25);
  CHECK(first.deadline().left() == Seconds(2.5));
  clock.turn(2.5);
  CHECK(first.over());
  CHECK_FALSE(whole.over());
  clock.turn(6.5);
  const Budget late = whole.stage(0.5);
  CHECK(late.work() == 2.5);  // the counted work does not depend on the clock
  CHECK(late.deadline().left() == Seconds(1));
  clock.turn(1);
  CHECK(late.over());
  CHECK(whole.over());
  CHECK(whole.deadline().left() == Seconds(0));
}

TEST_CASE("budget: steps can be counted for less than the deadline leaves, and time be left to others") {
  TurnedClock clock;
  const Budget whole(MapOptions{.time_limit = Seconds(8), .threads = 3, .clock = &clock});
  const Budget counted = whole.counting(Seconds(2));
  CHECK(counted.work() == 2);
  CHECK(counted.deadline().left() == Seconds(8));
  CHECK(counted.threads() == 3);
  const Budget shorter = whole.leaving(Seconds(6));
  CHECK(shorter.work() == 8);
  clock.turn(2);
  CHECK(shorter.over());
  CHECK_FALSE(counted.over());
}

TEST_CASE("budget: asked to stop, all its stages are over") {
  StopFlag stop = false;
  const Budget whole(MapOptions{.time_limit = Seconds(8), .stop = &stop});
  const Budget part = whole.stage(0.5).counting(Seconds(1)).leaving(Seconds(0.1));
  CHECK_FALSE(part.over());
  stop = true;
  CHECK(part.over());
  CHECK(part.deadline().left() == Seconds(0));
  CHECK(whole.stage(0.5).over());
}

TEST_CASE("every mapper has a whole mapping when it is asked to stop, or when the time is over at once") {
  Random random(7);
  StopFlag stop = true;
  for (const bool loaded : {false, true}) {
    MapProblem problem{.traffic = random_traffic(24, 0.3, random), .topology = tree({2, 3, 4})};
    if (loaded) {
      problem.imbalance = 0.5;
      for (int r = 0; r < 24; ++r) problem.loads.push_back(1 + r % 3);
    }
    for (const Mapper& mapper : mappers()) {
      if (mapper.name == "scotch" || (loaded && mapper.considers < Considers::loads)) continue;
      for (const Objective objective : {Objective::hop_bytes, Objective::max_congestion, Objective::mix}) {
        CAPTURE(mapper.name);
        CAPTURE(to_string(objective));
        problem.objective = objective;
        const HastyClock hasty;
        CHECK(map_ranks(problem, mapper.name, {.time_limit = Seconds(1e9), .stop = &stop}).mapping.ranks() == 24);
        CHECK(map_ranks(problem, mapper.name, {.time_limit = Seconds(2), .clock = &hasty}).mapping.ranks() == 24);
      }
    }
  }
}

TEST_CASE("auto asked to stop by its own progress still answers no worse than what it reported") {
  Random random(8);
  StopFlag stop = false;
  const MapProblem problem{.traffic = random_traffic(40, 0.2, random), .topology = tree({4, 4, 4})};
  double told = 0;
  const auto interrupt = [&](const MapProgress& progress) {
    told = progress.cost;
    stop = progress.next == "multilevel";
  };
  const MapOptions options{.time_limit = Seconds(1e9), .effort = 1e-9, .progress = interrupt, .stop = &stop};
  CHECK(map_ranks(problem, "auto", options).cost <= told);
  CHECK(told > 0);
}
