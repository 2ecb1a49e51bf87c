// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

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

}  // namespace topowise
