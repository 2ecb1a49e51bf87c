// SPDX-License-Identifier: BSD-3-Clause
// A product of paths and cycles in boxes or bricks, one inside of the other, on a machine whose levels are uniform.
#pragma once

#include <optional>

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// The cheapest of all ways to cut the boxes of each level of the machine into equal boxes of the next level. Nothing
/// if the traffic contains no product, the machine is no uniform hierarchy that the ranks fill, or there are too many
/// ways to try. Meets the bound of product_cut() on every level where the best boxes fit into each other.
[[nodiscard]] std::optional<Mapping> tile_boxes(const MapProblem& problem);

/// The better of tile_boxes() and tile_strips(); nothing for other traffic or machines.
[[nodiscard]] std::optional<Mapping> tile_product(const MapProblem& problem, const Deadline& deadline);

}  // namespace topowise
