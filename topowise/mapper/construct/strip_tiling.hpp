// SPDX-License-Identifier: BSD-3-Clause
// A strip in groups that fit into each other like bricks, none of them a box.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/mapper/problem/strip.hpp>

namespace topowise {

/// Group of each cell, row by row: `strip.cells` each, numbered from the first rows to the last. Nothing if groups do
/// not fill the strip or there are too many forms.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> tile_strip(const Strip& strip);

/// The best of all strips of the traffic, on a machine of groups that the ranks fill, all equally near within each.
[[nodiscard]] std::optional<Mapping> tile_strips(const MapProblem& problem);

}  // namespace topowise
