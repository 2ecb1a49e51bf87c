// SPDX-License-Identifier: BSD-3-Clause
// Problems with fixed ranks, or with ranks of different loads.
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

[[nodiscard]] bool is_constrained(const MapProblem& problem);

/// `exact` proves small problems, and its bound is the best there is for those somewhat larger.
[[nodiscard]] bool worth_exact(const MapProblem& problem);

/// Throws Error: fixed ranks that cannot stand where they shall, loads that are not one above 0 for each rank or come
/// without an imbalance (bad input), an objective or a mapper that knows no constraints (usage).
void check_constraints(const MapProblem& problem, const Mapper& mapper);

/// The other mappers that a mapper needs if it keeps no constraints.
struct OtherMappers {
  const Mapper& prover;  ///< keeps constraints itself
  const Mapper& quick;   ///< has an answer early
};

/// A mapper that gives proofs leaves small problems to the prover. For other problems, and where the prover does not
/// finish, the quick mapper and then `mapper` map without fixed ranks; their answers are changed to keep all
/// constraints, and improved by exchanges that keep them. Not worse than `in_order`, the ranks in order, as the
/// constraints allow it. The answer of a construction is only changed to keep all constraints. Throws Error(bad_input)
/// if no balance is found.
[[nodiscard]] MapperAnswer map_constrained(const MapProblem& problem, const Mapper& mapper, const OtherMappers& others,
                                           const Mapping& in_order, const Budget& budget);

}  // namespace topowise
