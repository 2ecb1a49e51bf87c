// SPDX-License-Identifier: BSD-3-Clause
// How long the traffic of a mapped job takes under congestion, and mappings that take less.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include <topowise/base/units.hpp>
#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic.hpp>
#include <topowise/predict/link_model.hpp>

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

  struct Refined {
    Mapping mapping;
    Seconds seconds;
    std::uint64_t predictions = 0;
  };
  /// The fastest of the candidates (at least one), then exchanges of two ranks, or moves to a free place of `allowed`
  /// (empty: all places), as long as one of them gains. Never slower than any candidate. Ends after `most` predictions,
  /// or when `stop` says so.
  [[nodiscard]] Refined refine(
      std::span<const Mapping> candidates, std::span<const Place> allowed, std::uint64_t most,
      const std::function<bool()>& stop = [] { return false; });

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace topowise
