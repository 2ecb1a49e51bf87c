// SPDX-License-Identifier: BSD-3-Clause
// A product of paths and cycles in boxes or bricks, one inside of the other, on a machine whose levels are uniform.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/mapper/problem/strip.hpp>

namespace topowise {

/// The cheapest of all ways to cut the boxes of each level of the machine into equal boxes of the next level. Nothing
/// if the traffic contains no product, the machine is no uniform hierarchy that the ranks fill, or there are too many
/// ways to try. Meets the bound of product_cut() on every level where the best boxes fit into each other.
[[nodiscard]] std::optional<Mapping> tile_boxes(const MapProblem& problem);

/// The better of tile_boxes() and tile_strips(); nothing for other traffic or machines. Strips are not tried where
/// boxes cost no more than `bound`, which is asked for only where there are boxes.
[[nodiscard]] std::optional<Mapping> tile_product(const MapProblem& problem, const Deadline& deadline,
                                                  const std::function<double()>& bound = {});

// A strip in groups that fit into each other like bricks, none of them a box.

/// The group of each cell, row by row. A group has `strip.cells` cells; groups are numbered from the first rows to the
/// last. Nothing if groups do not fill the strip or there are too many forms.
/// Nothing either if the deadline passes.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> tile_strip(const Strip& strip,
                                                                   const Deadline& deadline = Deadline::never());

/// The best mapping by any strip of the traffic. The ranks have to fill the machine, and within each of its groups all
/// places have to be equally near.
/// Nothing if the deadline passes before all strips are looked at.
[[nodiscard]] std::optional<Mapping> tile_strips(const MapProblem& problem,
                                                 const Deadline& deadline = Deadline::never());

}  // namespace topowise
