// SPDX-License-Identifier: BSD-3-Clause
// Local search for ranks of different loads on places that they fill to the brim.
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Never returns anything worse than `start`, which must keep loads and fixed ranks; so does the result. Ends after a
/// number of trials that follows from the problem and the budget's work. Any objective but predicted-time.
[[nodiscard]] MapperAnswer load_annealing(const MapProblem& problem, const Mapping& start, const Budget& budget);

/// Anneals again and again, each time more slowly and from the best mapping so far. Never worse for a larger budget.
[[nodiscard]] MapperAnswer anneal_in_rounds(const MapProblem& problem, const Mapping& start, const Budget& budget);

}  // namespace topowise
