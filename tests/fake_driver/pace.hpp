// SPDX-License-Identifier: BSD-3-Clause
// Copies between GPUs that take the time of the congestion model.
#pragma once

#include <cstdint>

#include <topowise/graph/topology.hpp>
#include <topowise/predict/congestion/congestion_model.hpp>

#include "shared_state.hpp"

namespace topowise::fake {

class Pace {
 public:
  /// A second of the model is `scale` seconds of the clock.
  Pace(SharedState& state, const Topology& topology, double scale)
      : state_(state), model_(topology, CongestionModelName::automatic), scale_(scale) {}

  /// Puts a copy on the wires. `start` is when it could begin: copies that follow each other do so without the gaps of
  /// a busy machine. Null where nothing connects the places.
  [[nodiscard]] PacedCopy* begin(Place from, Place to, std::uint64_t bytes, Nanoseconds start);
  /// Returns when the copy is over, by the clock; gives the time at which the model ended it, which is never later.
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
