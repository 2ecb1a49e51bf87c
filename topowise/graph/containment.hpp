// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Whether a machine's distances put near what is near.
#pragma once

#include <string>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// One line about distances that put places of different compute nodes nearer than places of one node, or paths of a
/// farther level nearer than those of a nearer one. Empty if there is no such pair. What is proven about a machine
/// whose description contradicts itself says nothing about the real machine.
///
/// Direct bonds (NVLink, xGMI, C2C) leave nothing and may be nearer than paths inside a node. Takes O(levels), and
/// where the source states a distance for every pair, O(places^2).
[[nodiscard]] std::string contradiction_in(const Topology& topology);

/// One line about rates that contradict the order of the levels: a level whose path is stated to be faster than that of
/// a nearer level. `distance` and `hops` keep to the order; `bandwidth` and predicted times follow the rates. Empty if
/// the rates agree or are not known. Compares the pairs of machines of up to 256 places, else one pair of each level.
[[nodiscard]] std::string faster_far_level(const Topology& topology);

/// True if no source says how any two places are joined, nor how far apart they are. All pairs then cost the same,
/// which proves nothing.
[[nodiscard]] bool joins_nothing(const Topology& topology);

}  // namespace topowise
