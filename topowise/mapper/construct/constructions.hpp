// SPDX-License-Identifier: BSD-3-Clause
// Mappers that do not search. Others compare their mappings with their own, and never begin a search with one. `auto`
// never ends above them, as long as there is time for them.
#pragma once

#include <span>

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

[[nodiscard]] bool constructs(const Mapper& mapper);

/// Many ranks share each place of a large problem: the cut between places decides.
[[nodiscard]] bool is_partitioning(const MapProblem& problem);

/// Those worth a try, which depends on the size only: `cyclic`, `grid`, and `greedy` where that is no partitioning. It
/// looks at no cut and ends far above the fast search there. The quickest first; of many ranks `grid`, which often is
/// what a search only comes near to.
[[nodiscard]] std::span<const MapFunction> constructions(const MapProblem& problem);

}  // namespace topowise
