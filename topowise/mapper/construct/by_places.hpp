// SPDX-License-Identifier: BSD-3-Clause
// Mappers that look at places only.
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Ranks in turn onto the machine's outermost groups: as launchers do with --map-by node.
[[nodiscard]] MapperAnswer map_cyclic(const MapProblem& problem, const Budget&);

/// Ranks in order onto the allowed places in order, each filled up to its capacity.
[[nodiscard]] MapperAnswer map_identity(const MapProblem& problem, const Budget&);

/// A mapping drawn from the seed: what a mapper must beat.
[[nodiscard]] MapperAnswer map_random(const MapProblem& problem, const Budget&);

}  // namespace topowise
