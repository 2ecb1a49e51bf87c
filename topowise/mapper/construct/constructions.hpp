// SPDX-License-Identifier: BSD-3-Clause
// Mappers that do not search. `auto` and other searches compare their own mappings with these. `auto` never costs more
// than they do, as long as there is time for them.
#pragma once

#include <span>

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

[[nodiscard]] bool constructs(const Mapper& mapper);

/// Many ranks share each place of a large problem: the cut between places decides.
[[nodiscard]] bool is_partitioning(const MapProblem& problem);

/// The constructions that are worth a try, which depends on the size only: `cyclic`, `grid` and, where the problem is
/// no partitioning, `greedy`. In partitioning `greedy` looks at no cut and ends far above the fast search. The quickest
/// comes first; for many ranks `grid` does, because a search often only comes near to it.
[[nodiscard]] std::span<const MapFunction> constructions(const MapProblem& problem);

}  // namespace topowise
