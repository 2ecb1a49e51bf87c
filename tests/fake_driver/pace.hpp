// SPDX-License-Identifier: BSD-3-Clause
// Copies between GPUs that take as long as the congestion model says.
#pragma once

#include <cstdint>

#include <topowise/graph/topology.hpp>
#include <topowise/predict/congestion/congestion_model.hpp>

#include "shared_state.hpp"

namespace topowise::fake {

class Pace {
 public:
  /// A second of the model takes `scale` seconds of the clock.
  Pace(SharedState& state, const Topology& topology, double scale)
      : state_(state), model_(topology, CongestionModelName::automatic), scale_(scale) {}

  /// Puts a copy on the wires. `start` is the time at which it could begin: copies that follow each other begin without
  /// the pauses of a busy machine. Null where no route connects the places.
  [[nodiscard]] PacedCopy* begin(Place from, Place to, std::uint64_t bytes, Nanoseconds start);
  /// Returns when the copy is complete by the clock. The result is the end time in the model, which is never later.
  Nanoseconds finish(PacedCopy& copy);

 private:
  [[nodiscard]] bool connected(Place from, Place to);
  PacedCopy& add(Place from, Place to, std::uint64_t bytes, Nanoseconds start);
  void play_until(Nanoseconds time);
  [[nodiscard]] Nanoseconds next_event() const;
  bool play_events(Nanoseconds time);
  void start_waiting();
  void set_rates();
  [[nodiscard]] CongestionModel::Flow flow(const PacedCopy& copy) {
    return model_.flow(Place(copy.from), Place(copy.to));
  }

  SharedState& state_;
  CongestionModel model_;
  double scale_;
};

}  // namespace topowise::fake
