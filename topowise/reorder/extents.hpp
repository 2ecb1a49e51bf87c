// SPDX-License-Identifier: BSD-3-Clause
// MPI_Dims_create knows numbers only. Which extents of a grid would cost less on the machine at hand?
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/reorder/job_machine.hpp>

namespace topowise {

struct BetterExtents {
  std::vector<int> extents;
  double cost_now = 0;  ///< of the extents at hand, in the same unit
  double cost = 0;
};

/// The extents of as many cells and dimensions with the least hop-bytes, if that is at least a twentieth below those of
/// `extents`, both mapped. The grid is taken to cut a cube of data, so that a cell sends its face: along an axis of
/// extent e in proportion to e, as the product of all extents is the number of cells.
///
/// Both are mapped as reorder() does. Looks at the `kMostExtents` factorisations with the least surface.
inline constexpr std::size_t kMostExtents = 16;
[[nodiscard]] std::optional<BetterExtents> better_extents(std::span<const int> extents, std::span<const bool> periodic,
                                                          const JobMachine& machine,
                                                          const std::optional<MapOptions>& options = {});

}  // namespace topowise
