// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <topowise/graph/network_shape.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

/// Of one direction of each link.
struct LinkRates {
  BytesPerSecond network;   ///< between places of a grid, or between routers
  BytesPerSecond of_place;  ///< between a place and its router
};

/// A network of that wiring; `source` is the provenance of the links.
[[nodiscard]] Topology make_network(std::string name, const NetworkShape& shape, LinkRates rates,
                                    std::string_view source);

}  // namespace topowise
