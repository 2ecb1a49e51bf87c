// SPDX-License-Identifier: BSD-3-Clause
// How long the traffic of a mapped job takes under congestion.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/predict/congestion/link_model.hpp>

namespace topowise {

/// Predicts one traffic on one machine for many mappings. The traffic is one exchange: a message a pair with all its
/// bytes, all ready at the start, each rank's in the order of their destinations. Not to be shared between threads.
class PredictedTime {
 public:
  PredictedTime(const Traffic& traffic, const Topology& topology,
                CongestionModelName model = CongestionModelName::automatic,
                const CongestionParameters& parameters = {});
  ~PredictedTime();
  PredictedTime(PredictedTime&&) noexcept;
  PredictedTime& operator=(PredictedTime&&) noexcept;

  /// Throws what simulate() throws.
  [[nodiscard]] Seconds operator()(const Mapping& mapping);

  /// What no mapping onto these places can go below, `ranks_a_place` of them at most on one: a rank sends what leaves
  /// its place one after the other through each port, and receives what arrives over the last links. O(places^2).
  [[nodiscard]] Seconds lower_bound(std::span<const Place> places, std::size_t ranks_a_place);

  /// By LinkId: bytes/s that all messages on a link get together at most.
  [[nodiscard]] std::vector<double> link_limits() const;

  /// What all calls so far took, in rates looked up: a count that follows from the calls alone, and about the time.
  [[nodiscard]] double steps() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace topowise
