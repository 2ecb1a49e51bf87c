// SPDX-License-Identifier: BSD-3-Clause
// Networks that do not exist but are only described: `torus:8x8x4`, `mesh:16x16`, `dragonfly:4:8:4`.
#pragma once

#include <optional>
#include <string_view>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// The network that the argument describes; nothing if it does not begin with one of the words above and a colon.
/// "@12.5GB/s" at the end is the bandwidth of each link in each direction. Throws Error(bad_input) if the argument is
/// malformed, or the network has more than Topology::kLargestDense places.
[[nodiscard]] std::optional<Topology> read_synthetic_network(std::string_view argument);

}  // namespace topowise
