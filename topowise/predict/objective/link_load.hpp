// SPDX-License-Identifier: BSD-3-Clause
// Bytes over every directed link, and the link that needs longest for its bytes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// Bytes by LinkId. Throws Error(bad_input) where traffic has no route. O(entries x route length).
[[nodiscard]] std::vector<Bytes> link_load(const Traffic& traffic, const Topology& topology, const Mapping& mapping);

/// The congestion of a link is its load over its bandwidth.
struct MaxCongestion {
  Seconds seconds;
  std::optional<LinkId> fullest;  ///< the first such link; nothing if no link carries bytes
};
/// Throws Error(bad_input) naming a link that carries bytes and has no known bandwidth.
[[nodiscard]] MaxCongestion max_congestion(const Topology& topology, std::span<const Bytes> load);

/// Checks that routes and bandwidths are known, before an optimiser may ask for any mapping onto `places`. Throws what
/// the two functions above would throw for traffic between all of these places.
void check_congestion_known(const Topology& topology, std::span<const Place> places);

}  // namespace topowise
