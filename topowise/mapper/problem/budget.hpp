// SPDX-License-Identifier: BSD-3-Clause
// What a mapping may use. A question (map_problem.hpp) stays the same from stage to stage; what is passed down and
// divided among the stages of a mapper is its budget.
//
// It says two things about time. Counts of steps follow from the number `time()`, so that the same question has the
// same answer; `deadline()` is the clock, which only guards it. A stage with a share has both; a stage that counts for
// a part of the time, but may run on where others took less than theirs, keeps the deadline of the whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/parallel.hpp>

namespace topowise {

/// How far a mapper is.
struct MapProgress {
  double cost = 0;         ///< of the best mapping so far
  double lower_bound = 0;  ///< 0 if nothing is proven yet
  std::string_view next;   ///< what is tried next
};

struct MapOptions {
  Seconds time_limit = Seconds(10);  ///< a promise: the mapper returns its best by then
  /// Scales the work of heuristics and searches, which end by counts of steps that follow from `time_limit`, so that
  /// the clock does not decide. A smaller effort makes them end earlier; the same effort always gives the same result.
  double effort = 1;
  int threads = 0;  ///< 0: as many as the machine has
  /// Time for the lower bound alone, after or between the searches. 0: no bound is looked for, though a search may
  /// prove one. If nothing is given: a twentieth of `time_limit`, at most a second.
  std::optional<Seconds> bound_time;
  std::function<void(const MapProgress&)> progress;  ///< called before each stage of a search; may be empty
  const Clock* clock = &kSteadyClock;
  const StopFlag* stop = nullptr;  ///< may be set at any time: the mapper returns its best so far
};

/// Options for a program that waits for the answer when it starts: as many steps as fit into `work` seconds, and a
/// twentieth of `work` for the bound. The clock allows at least a second, so that a busy machine gives the same answer.
[[nodiscard]] inline MapOptions steps_of(Seconds work) {
  const Seconds limit = std::max(work, Seconds(1));
  return {.time_limit = limit, .effort = work / limit, .bound_time = work / 20};
}

class Budget {
 public:
  /// Begins now. `everywhere` is added to every cost and bound that is reported.
  explicit Budget(const MapOptions& options = {}, double everywhere = 0)
      : time_(options.time_limit),
        bound_time_(options.bound_time.value_or(std::min(options.time_limit / kBoundShare, kUsualBoundTime))),
        deadline_(options.time_limit, *options.clock, options.stop),
        effort_(options.effort),
        threads_(multilevel::threads_or_all(options.threads)),
        progress_(options.progress),
        everywhere_(everywhere) {}

  [[nodiscard]] Seconds time() const { return time_; }
  /// Seconds of one thread's work, times the effort: counts of a search's steps follow from it.
  [[nodiscard]] double work() const { return time_.value() * effort_; }
  /// How many steps fit into the work, if so many are made in a second.
  [[nodiscard]] std::size_t steps(double in_a_second) const {
    constexpr double kMost = 1e18;  // of an endless budget
    return static_cast<std::size_t>(std::min(work() * in_a_second, kMost));
  }
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] const Deadline& deadline() const { return deadline_; }
  [[nodiscard]] bool over() const { return deadline_.passed(); }

  /// A budget with that share of the time, which begins now.
  [[nodiscard]] Budget stage(double share) const {
    Budget part = counting(time_ * share);
    part.deadline_ = deadline_.within(part.time_);
    return part;
  }
  /// The budget of a lower bound.
  [[nodiscard]] Budget for_bound() const {
    Budget part = counting(bound_time_);
    part.deadline_ = deadline_.within(bound_time_);
    return part;
  }
  [[nodiscard]] bool wants_bound() const { return bound_time_ > Seconds(0); }
  /// A budget without progress, for a stage that asks another question: what it finds says nothing about this one.
  [[nodiscard]] Budget silent() const {
    Budget part = *this;
    part.progress_ = nullptr;
    return part;
  }
  /// A budget whose steps are counted for `time`; the deadline stays.
  [[nodiscard]] Budget counting(Seconds time) const {
    Budget part = *this;
    part.time_ = time;
    if (time < time_) part.bound_time_ = bound_time_ * (time / time_);
    return part;
  }
  /// Leaves so much of the time to others; steps are counted as before.
  [[nodiscard]] Budget leaving(Seconds time) const {
    Budget part = *this;
    part.deadline_ = deadline_.earlier_by(time);
    return part;
  }

  void tell(const MapProgress& progress) const {
    if (progress_) progress_({progress.cost + everywhere_, progress.lower_bound + everywhere_, progress.next});
  }

 private:
  static constexpr double kBoundShare = 20;
  static constexpr Seconds kUsualBoundTime{1};
  Seconds time_;
  Seconds bound_time_;
  Deadline deadline_;
  double effort_;
  int threads_;
  std::function<void(const MapProgress&)> progress_;
  double everywhere_;
};

}  // namespace topowise
