// SPDX-License-Identifier: BSD-3-Clause
// A grid of ranks laid into a grid of places without cutting it up.
#pragma once

#include <optional>

#include <topowise/mapper/construct/grid_shape.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// The best embedding that was found for hop-bytes; nothing if the places are no mesh and no torus, or the axes of the
/// ranks cannot be split into factors that fit into the axes of the places.
[[nodiscard]] std::optional<Mapping> embed_grid(const MapProblem& problem, const Grid& grid, const Deadline& deadline);

}  // namespace topowise
