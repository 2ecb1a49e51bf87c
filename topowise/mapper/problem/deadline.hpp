// SPDX-License-Identifier: BSD-3-Clause
// When a mapper has to come back with what it has.
#pragma once

#include <algorithm>
#include <chrono>

#include <topowise/base/units.hpp>

namespace topowise {

/// A guard, not a schedule: algorithms end by their own deterministic counts, and only on a slow machine by this.
class Deadline {
 public:
  explicit Deadline(Seconds left)
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(left.value()))) {}
  /// For searches that are to end by their counts alone.
  [[nodiscard]] static Deadline never() { return Deadline(Clock::time_point::max()); }

  [[nodiscard]] bool passed() const { return Clock::now() >= end_; }
  [[nodiscard]] Seconds left() const {
    return Seconds(std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count()));
  }

 private:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(Clock::time_point end) : end_(end) {}

  Clock::time_point end_;
};

}  // namespace topowise
