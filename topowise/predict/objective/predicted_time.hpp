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

/// Predicts the time of one traffic on one machine for many mappings. The traffic is one exchange: one message per pair
/// with all its bytes, all ready at the start, and each rank's messages in the order of their destinations. Not to be
/// shared between threads.
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

  /// A time that no mapping onto these places beats, with `ranks_a_place` ranks at most on one. A rank sends what
  /// leaves its place one message after the other through each port, and receives what arrives over the last links.
  /// Takes O(places^2).
  [[nodiscard]] Seconds lower_bound(std::span<const Place> places, std::size_t ranks_a_place);

  /// Bytes/s that all messages on a link get together at most, by LinkId.
  [[nodiscard]] std::vector<double> link_limits() const;

  /// The work of all calls so far, as a number of rates looked up. It follows from the calls alone, and the time is
  /// about proportional to it.
  [[nodiscard]] double steps() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace topowise
