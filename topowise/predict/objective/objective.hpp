// SPDX-License-Identifier: BSD-3-Clause
// The numbers that a mapping is judged by. Lower is better, always.
#pragma once

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/objective.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// mix = hop_share * hop-bytes / hop_bytes + (1 - hop_share) * max-congestion / congestion. The two divisors make the
/// terms comparable. Mappers take the divisors from the identity, so that the identity costs 1.
struct ObjectiveMix {
  double hop_share = 0.5;  ///< in [0, 1]
  double hop_bytes = 1;
  double congestion = 1;  ///< seconds
};

/// Computes the objective's value from scratch. It takes O(entries) for hop-bytes, O(entries x route length) for
/// max-congestion, and a simulation for predicted-time. Only the objective of that name uses `mix`.
[[nodiscard]] double evaluate(Objective objective, const Traffic& traffic, const Topology& topology,
                              const Mapping& mapping, Metric metric, const ObjectiveMix& mix = {});

}  // namespace topowise
