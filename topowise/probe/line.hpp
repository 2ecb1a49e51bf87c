// SPDX-License-Identifier: BSD-3-Clause
// What can be measured between two places, whatever their memory is.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <topowise/base/id.hpp>

namespace topowise::probe {

/// Two places that are ready to exchange messages of up to a largest size. Used by one thread.
class Line {
 public:
  struct PingPong {
    double forth = 0.0;  ///< seconds
    double back = 0.0;
  };
  Line() = default;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  virtual ~Line() = default;

  /// Seconds of one message from the first place to the second.
  [[nodiscard]] virtual double send(std::size_t bytes) = 0;
  [[nodiscard]] virtual PingPong ping_pong(std::size_t bytes) = 0;
  /// Seconds until both messages have arrived that start at the same time, one each way.
  [[nodiscard]] virtual double both_ways(std::size_t bytes) = 0;
};

/// Makes lines; from several threads at once.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  virtual ~Memory() = default;

  /// "GPU memory by cuda", for provenance and people.
  [[nodiscard]] virtual std::string description() const = 0;
  /// What the results do not show: pairs without peer access, threads that are not bound.
  [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
  /// Places that this process can reach; ascending.
  [[nodiscard]] virtual std::vector<Place> places() const = 0;
  /// Pairs that may be measured at once without disturbing each other through the host.
  [[nodiscard]] virtual std::size_t most_at_once() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Line> connect(Place first, Place second, std::size_t largest) = 0;
};

}  // namespace topowise::probe
