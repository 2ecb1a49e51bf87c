// SPDX-License-Identifier: BSD-3-Clause
// When a search has to come back with what it has.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include <topowise/base/units.hpp>

namespace topowise {

/// A search reads the time here. A test gives a clock that it sets itself.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Seconds now() const = 0;  ///< since a moment that stays the same
};

class SteadyClock final : public Clock {
 public:
  [[nodiscard]] Seconds now() const override {
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
  }
};

inline const SteadyClock kSteadyClock;

/// Set by a signal handler or another thread: every search returns its best so far.
using StopFlag = std::atomic<bool>;

/// A guard, not a schedule: algorithms end by their own deterministic counts. A deadline ends them only on a slow
/// machine, or if they are asked to stop. Clock and flag must outlive it.
class Deadline {
 public:
  explicit Deadline(Seconds left, const Clock& clock = kSteadyClock, const StopFlag* stop = nullptr)
      : Deadline(clock, stop, clock.now() + left) {}
  /// A deadline for searches that are to end by their counts alone.
  [[nodiscard]] static Deadline never() {
    return {kSteadyClock, nullptr, Seconds(std::numeric_limits<double>::infinity())};
  }

  [[nodiscard]] bool passed() const { return stopped() || clock_->now() >= end_; }
  /// The time left; 0 when the deadline has passed.
  [[nodiscard]] Seconds left() const { return stopped() ? Seconds(0) : std::max(Seconds(0), end_ - clock_->now()); }

  /// A deadline that passes when this one does, or when so much time has gone by.
  [[nodiscard]] Deadline within(Seconds time) const { return {*clock_, stop_, std::min(end_, clock_->now() + time)}; }
  /// A deadline that passes so much earlier than this one.
  [[nodiscard]] Deadline earlier_by(Seconds time) const { return {*clock_, stop_, end_ - time}; }

 private:
  Deadline(const Clock& clock, const StopFlag* stop, Seconds end) : clock_(&clock), stop_(stop), end_(end) {}
  [[nodiscard]] bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  const Clock* clock_;
  const StopFlag* stop_;
  Seconds end_;
};

}  // namespace topowise
