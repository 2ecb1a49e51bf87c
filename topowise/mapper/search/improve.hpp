// SPDX-License-Identifier: BSD-3-Clause
// Local search from a given mapping: the method that fits the objective and the size.
#pragma once

#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

struct Improved {
  Mapping mapping;
  double cost = 0;
};

/// Never returns anything worse than `start`. Ends after a number of steps that follows from the problem and
/// `time_limit` alone, so that the same question has the same answer; the deadline is only a guard. Stops at `target`.
[[nodiscard]] Improved improve(const MapProblem& problem, const Mapping& start, Seconds time_limit, double target,
                               const Deadline& deadline);

}  // namespace topowise
