// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Ranks in turn onto the machine's outermost groups: as launchers do with --map-by node.
[[nodiscard]] MapperAnswer map_cyclic(const MapProblem& problem, const Budget&);

}  // namespace topowise
