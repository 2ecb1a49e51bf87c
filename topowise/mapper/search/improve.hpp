// SPDX-License-Identifier: BSD-3-Clause
// Local search from a given mapping: the method that fits the objective and the size.
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Never returns anything worse than `start`. Ends after a number of steps that follows from the problem and the
/// budget's work alone, so that the same question has the same answer. Stops at `target`.
[[nodiscard]] MapperAnswer improve(const MapProblem& problem, const Mapping& start, const Budget& budget,
                                   double target);

}  // namespace topowise
