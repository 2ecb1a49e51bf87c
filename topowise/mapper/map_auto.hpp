// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Exact where that can finish, else the best of the others, improved; never worse than the identity.
[[nodiscard]] MapperAnswer map_auto(const MapProblem& problem, const Budget& budget);

}  // namespace topowise
