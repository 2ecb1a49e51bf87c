// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Robust tabu search from the identity.
[[nodiscard]] MapperAnswer map_tabu(const MapProblem& problem, const Budget& budget);

}  // namespace topowise
