// SPDX-License-Identifier: BSD-3-Clause
// How far bytes travel: hop-bytes as the sum, dilation per byte and the largest dilation.
#pragma once

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// Sum over ordered pairs of ranks of bytes x pair cost. O(entries).
[[nodiscard]] double hop_bytes(const Traffic& traffic, const Topology& topology, const Mapping& mapping, Metric metric);

/// Dilation of an edge of the guest graph: the pair cost of the two places it is laid on, 0 inside one place.
struct Dilation {
  double average = 0;  ///< over bytes: hop-bytes / bytes between different ranks
  double max = 0;      ///< over pairs of ranks that exchange bytes
};
[[nodiscard]] Dilation dilation(const Traffic& traffic, const Topology& topology, const Mapping& mapping,
                                Metric metric);

}  // namespace topowise
