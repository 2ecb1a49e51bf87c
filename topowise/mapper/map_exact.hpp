// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// An optimal mapping with its proof, or at the time limit the best found and how far from optimal it may be.
[[nodiscard]] MapperAnswer map_exact(const MapProblem& problem, const Budget& budget);

/// Whether that proves such problems, or at least finds the best bound there is.
[[nodiscard]] bool suits_exact(const MapProblem& problem);

}  // namespace topowise
