// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Ranks in order onto the allowed places in order, each filled up to its capacity.
[[nodiscard]] MapperAnswer map_identity(const MapProblem& problem, const Budget&);

}  // namespace topowise
