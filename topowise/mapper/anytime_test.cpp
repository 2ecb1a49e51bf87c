// SPDX-License-Identifier: BSD-3-Clause
// More time never makes an answer worse. A search takes its time from a clock that advances a little at every look. A
// limit therefore strikes at the same point of the same search every time, on any machine.
#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <vector>

#include <tests/fixtures/machines.hpp>

#include <topowise/base/error.hpp>
#include <topowise/mapper/course.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/instance.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

class TickingClock final : public Clock {
 public:
  explicit TickingClock(double tick) : tick_(tick) {}
  [[nodiscard]] Seconds now() const override { return Seconds(tick_ * looks_++); }

 private:
  double tick_;
  mutable int looks_ = 0;
};

/// Sets a flag after a number of looks.
class StoppingClock final : public Clock {
 public:
  StoppingClock(StopFlag& stop, int looks) : stop_(stop), left_(looks) {}
  [[nodiscard]] Seconds now() const override {
    if (left_-- == 0) stop_ = true;
    if (left_ < 0) ++after_;
    return Seconds(0);
  }
  [[nodiscard]] int looks_after() const { return after_; }

 private:
  StopFlag& stop_;
  mutable int left_;
  mutable int after_ = 0;
};

constexpr double kTick = 1e-3;
constexpr double kEffort = 4e-6;  ///< with it, the longest limit counts as 2 ms of search
constexpr std::array<double, 5> kLimits{0.01, 0.1, 1, 10, 500};
constexpr double kRounding = 1 + 1e-9;

Topology random_machine(std::size_t ranks, Random& random) {
  switch (random.below(4)) {
    case 0:
      return random_matrix(ranks + random.below(3), 1 + random.below(2), random);
    case 1:
      return ring(ranks + random.below(3), random);
    case 2:
      return tree({2, 3, 3});
    default:
      return tree({3, 2, 2}, 2);
  }
}

MapProblem random_problem(int number, Random& random) {
  const std::size_t ranks = 4 + random.below(number % 10 == 0 ? 12 : 6);
  MapProblem problem{.traffic = random_traffic(ranks, 0.2 + 0.6 * random.unit(), random),
                     .topology = random_machine(ranks, random),
                     .seed = random()};
  const bool has_links = !problem.topology.links().empty();
  if (has_links && number % 4 == 1) problem.objective = Objective::max_congestion;
  if (has_links && number % 8 == 3) problem.objective = Objective::mix;
  if (has_links && number % 8 == 5) problem.objective = Objective::predicted_time;
  if (number % 5 == 2) problem.fixed = {{Rank(1), Place(0)}, {Rank(0), Place(problem.topology.place_count() - 1)}};
  if (number % 7 == 4 && problem.objective != Objective::predicted_time) {
    problem.imbalance = 0.8;
    for (std::size_t r = 0; r < ranks; ++r) problem.loads.push_back(1 + static_cast<int>(random.below(3)));
  }
  return problem;
}

/// The cost that the mapper reaches within `seconds` of a clock that advances by `tick`; nothing where the mapper
/// refuses.
std::optional<double> cost_by(const MapProblem& problem, std::string_view mapper, double seconds, double tick) {
  const TickingClock clock(tick);
  try {
    return map_ranks(problem, mapper,
                     {.time_limit = Seconds(seconds),
                      .effort = kEffort,
                      .threads = 1,
                      .bound_time = Seconds(0),
                      .clock = &clock})
        .cost;
  } catch (const Error& error) {
    if (error.status() == ExitStatus::internal) throw;
    return std::nullopt;  // no Scotch, loads that the mapper does not know, or no balance found
  }
}

/// The cost by each of the limits; empty where the mapper refuses.
std::vector<double> costs_by_limit(const MapProblem& problem, std::string_view mapper) {
  std::vector<double> costs;
  for (const double limit : kLimits) {
    const std::optional<double> cost = cost_by(problem, mapper, limit, kTick);
    if (!cost) break;
    costs.push_back(*cost);
  }
  return costs;
}

void check_never_worse(const MapProblem& problem, std::string_view mapper, const std::vector<double>& costs) {
  for (std::size_t i = 1; i < costs.size(); ++i) CHECK(costs[i] <= costs[i - 1] * kRounding);
  const bool is_plain = problem.fixed.empty() && problem.loads.empty() && problem.objective == Objective::hop_bytes;
  if (!is_plain || costs.empty()) return;
  // No inner stage has a time limit of its own here: with a clock that stands still, every search runs to its end.
  CHECK(*cost_by(problem, mapper, kLimits.back(), 0) <= costs.back() * kRounding);
}

/// `thorough` costs at most as much as `fast` at the same limit, if the fast mapper has come to its end by then.
void check_floor(const MapProblem& problem, const std::vector<double>& thorough, const std::vector<double>& fast) {
  const double in_the_end = *cost_by(problem, "multilevel-fast", kLimits.back(), 0);
  for (std::size_t i = 0; i < thorough.size(); ++i)
    if (fast[i] <= in_the_end) CHECK(thorough[i] <= fast[i] * kRounding);
}

/// `all` runs other mappers first, and `fast` too. If `fast` has come to its end `before` limits earlier, `all` costs
/// at most as much as `one` did at that earlier limit.
void check_covers(const std::vector<double>& all, const std::vector<double>& one, const std::vector<double>& fast,
                  std::size_t before) {
  if (one.empty()) return;
  REQUIRE(all.size() == one.size());
  for (std::size_t i = before; i < one.size(); ++i)
    if (fast[i - before] <= fast.back()) CHECK(all[i] <= one[i - before] * kRounding);
  CHECK(all.back() <= one.back() * kRounding);
}

void check_more_time(int problems) {
  Random random(2026);
  for (int number = 0; number < problems; ++number) {
    const MapProblem problem = random_problem(number, random);
    const bool constrained = !problem.fixed.empty() || !problem.loads.empty();
    CAPTURE(number);
    CAPTURE(problem.topology.name());
    CAPTURE(to_string(problem.objective));
    CAPTURE(constrained);
    const std::vector<double> by_auto = costs_by_limit(problem, "auto");
    const std::vector<double> fast = costs_by_limit(problem, "multilevel-fast");
    const bool is_plain =
        !constrained && (problem.objective == Objective::hop_bytes || problem.objective == Objective::max_congestion);
    for (const Mapper& mapper : mappers()) {
      CAPTURE(mapper.name);
      const std::vector<double> costs = costs_by_limit(problem, mapper.name);
      check_never_worse(problem, mapper.name, costs);
      if (mapper.constructs && mapper.name != "random" && mapper.name != "scotch")
        check_covers(by_auto, costs, fast, 2);
      if (is_plain && (mapper.name == "auto" || mapper.name == "multilevel")) check_floor(problem, costs, fast);
    }
    check_covers(by_auto, fast, fast, 1);
  }
}

}  // namespace

TEST_CASE("more time never makes an answer worse, and auto is above no fast or cheap mapper") {
  check_more_time(8);
}

TEST_CASE("more time never makes an answer worse, and auto is above no fast or cheap mapper: 100 problems" *
          doctest::test_suite("wide")) {
  check_more_time(100);
}

TEST_CASE("a limit that strikes anywhere leaves an answer no worse than the identity that keeps the constraints") {
  Random random(3);
  for (int round = 0; round < 4; ++round) {
    MapProblem problem{.traffic = random_traffic(40, 0.1, random), .topology = tree({2, 4, 5})};
    if (round % 2 == 1) {
      problem.imbalance = 0.5;
      for (int r = 0; r < 40; ++r) problem.loads.push_back(1 + r % 4);
    }
    const std::optional<double> in_order = cost_by(problem, "multilevel", 1e-9, 1);
    REQUIRE(in_order);
    CAPTURE(round);
    for (const char* mapper : {"auto", "multilevel", "multilevel-fast"}) {
      CAPTURE(mapper);
      double before = *in_order;
      for (double limit = 0.01; limit < 100; limit *= 4) {
        const std::optional<double> cost = cost_by(problem, mapper, limit, kTick);
        REQUIRE(cost);
        CHECK(*cost <= *in_order * kRounding);
        if (problem.loads.empty()) CHECK(*cost <= before * kRounding);
        before = *cost;
      }
    }
  }
}

TEST_CASE("predicted-time and mix have what the fast mapper finds long before a search of theirs ends") {
  Random random(5);
  const MapProblem problem{.traffic = random_traffic(48, 0.1, random), .topology = tree({3, 4, 4})};
  const double in_the_end = *cost_by(problem, "multilevel-fast", kLimits.back(), 0);
  double limit = 0.01;
  while (*cost_by(problem, "multilevel-fast", limit, kTick) > in_the_end) limit *= 1.5;
  const TickingClock clock(kTick);
  const MapOptions options{.time_limit = Seconds(limit), .threads = 1, .bound_time = Seconds(0), .clock = &clock};
  const Mapping fast = map_ranks(problem, "multilevel-fast", options).mapping;
  for (const Objective objective : {Objective::predicted_time, Objective::mix}) {
    MapProblem asked = problem;
    asked.objective = objective;
    if (objective == Objective::mix) asked.mix = relative_to(problem, fill_in_order(problem));
    const double identity = cost_of(asked, fill_in_order(problem));
    CAPTURE(to_string(objective));
    REQUIRE(cost_of(asked, fast) < identity);
    CHECK(*cost_by(asked, "auto", 4 * limit, kTick) <= cost_of(asked, fast) * kRounding);
  }
}

TEST_CASE("a stop is honoured wherever it comes: every search soon ends, and with the best so far") {
  Random random(4);
  const MapProblem small{.traffic = random_traffic(18, 0.3, random), .topology = random_matrix(20, 1, random)};
  const MapProblem large{.traffic = random_traffic(100, 0.1, random), .topology = tree({5, 5, 4})};
  MapProblem congested{.traffic = random_traffic(30, 0.1, random), .topology = tree({2, 4, 4})};
  congested.objective = Objective::max_congestion;
  for (const MapProblem& problem : {small, large, congested}) {
    const double identity = cost_of(problem, fill_in_order(problem));
    for (const char* mapper : {"auto", "exact", "tabu", "multilevel", "multilevel-fast"}) {
      CAPTURE(mapper);
      for (int looks = 1; looks < 10000; looks *= 20) {
        CAPTURE(looks);
        StopFlag stop = false;
        const StoppingClock clock(stop, looks);
        const MapOptions options{
            .time_limit = Seconds(1e3), .effort = 1e-4, .threads = 1, .clock = &clock, .stop = &stop};
        CHECK(map_ranks(problem, mapper, options).cost <= identity * kRounding);
        CHECK(clock.looks_after() < 1000);
      }
    }
  }
}
