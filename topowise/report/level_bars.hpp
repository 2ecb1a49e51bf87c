// SPDX-License-Identifier: BSD-3-Clause
// Bars that show the bytes by level, before and after.
#pragma once

#include <string>

#include <topowise/graph/topology.hpp>
#include <topowise/predict/objective/level_traffic.hpp>

namespace topowise {

/// An SVG drawing: for each level of the machine, nearest first, one bar of the identity and one of the mapping, as
/// shares of all bytes between different ranks.
[[nodiscard]] std::string level_bars(const Topology& topology, const LevelTraffic& before, const LevelTraffic& after);

}  // namespace topowise
