// SPDX-License-Identifier: BSD-3-Clause
// A stencil on a large torus, mesh or dragonfly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <topowise/mapper/construct/grid_embedding.hpp>

namespace topowise {

/// Sorts the ranks so that the first `count` are on one side of a cut of the grid and the others on the other side: the
/// cut across the axis that meets the fewest bytes.
void cut_across_lightest(const Grid& grid, std::span<std::uint32_t> ranks, std::size_t count);

/// The grid that the ranks form laid whole into the network, if it fits, or the halves of the grid on the halves of the
/// network with exchanges across their borders; the better of both. Nothing if the ranks form no grid, or the machine
/// is no large network.
[[nodiscard]] std::optional<Mapping> map_grid_onto_network(const MapProblem& problem, const Deadline& deadline);

}  // namespace topowise
