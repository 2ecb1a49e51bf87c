// SPDX-License-Identifier: BSD-3-Clause
// A strip in groups that fit into each other like bricks, none of them a box.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/mapper/problem/strip.hpp>

namespace topowise {

/// The group of each cell, row by row. A group has `strip.cells` cells; groups are numbered from the first rows to the
/// last. Nothing if groups do not fill the strip or there are too many forms.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> tile_strip(const Strip& strip);

/// The best mapping by any strip of the traffic. The ranks have to fill the machine, and within each of its groups all
/// places have to be equally near.
/// Nothing if the deadline passes before all strips are looked at.
[[nodiscard]] std::optional<Mapping> tile_strips(const MapProblem& problem,
                                                 const Deadline& deadline = Deadline::never());

}  // namespace topowise
