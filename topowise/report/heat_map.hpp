// SPDX-License-Identifier: BSD-3-Clause
// How much the places send to each other, as a picture: what stands near the diagonal stays near.
#pragma once

#include <string>
#include <string_view>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic.hpp>

namespace topowise {

/// An SVG drawing, source places downwards, destinations to the right; `style` is the class of a filled cell, the share
/// of the fullest cell its opacity. Machines of more than 96 places are drawn in 96 x 96 cells of several places each.
[[nodiscard]] std::string heat_map(const Traffic& traffic, const Topology& topology, const Mapping& mapping,
                                   std::string_view title, std::string_view style);

}  // namespace topowise
