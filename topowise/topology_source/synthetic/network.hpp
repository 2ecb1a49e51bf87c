// SPDX-License-Identifier: BSD-3-Clause
// Networks that do not exist but are only described: `torus:8x8x4`, `mesh:16x16`, `dragonfly:4:8:4`.
#pragma once

#include <string_view>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// True if the argument begins with one of the words above and a colon.
[[nodiscard]] bool is_synthetic_network(std::string_view argument);

/// The network that such an argument describes. "@12.5GB/s" at the end is the bandwidth of each link in each direction.
/// Throws Error(bad_input) if the argument is malformed, or the description would not fit: the message says how much
/// memory it would take.
[[nodiscard]] Topology read_synthetic_network(std::string_view argument);

}  // namespace topowise
