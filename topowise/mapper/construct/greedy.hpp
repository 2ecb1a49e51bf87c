// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// The rank that talks most to those placed goes where that costs least.
[[nodiscard]] MapperAnswer map_greedy(const MapProblem& problem, const Budget& budget);

}  // namespace topowise
