// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// A mapping drawn from the seed: what a mapper must beat.
[[nodiscard]] MapperAnswer map_random(const MapProblem& problem, const Budget&);

}  // namespace topowise
