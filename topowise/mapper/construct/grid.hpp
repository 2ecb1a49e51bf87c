// SPDX-License-Identifier: BSD-3-Clause
// The direct mapping of a Cartesian grid.
#pragma once

#include <optional>

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Nothing if the traffic is no stencil on a grid of its ranks in row-major order.
[[nodiscard]] std::optional<MapperAnswer> map_grid_if_there(const MapProblem& problem, const Deadline& deadline);

/// The answer of map_grid_if_there(); the ranks in order where there is no grid, or where they are no worse.
[[nodiscard]] MapperAnswer map_grid(const MapProblem& problem, const Budget& budget);

}  // namespace topowise
