// SPDX-License-Identifier: BSD-3-Clause
// The one course of mapping: cheap first, keep the better, share the time.
#pragma once

#include <optional>

#include <topowise/mapper/problem/mapper_row.hpp>

namespace topowise {

/// The divisors of the mix: what the reference costs, 1 where that is nothing.
[[nodiscard]] ObjectiveMix relative_to(const MapProblem& problem, const Mapping& reference);

/// What a row of the table finds for any objective under any constraint, whether or not it knows that: it is asked for
/// each objective alone and without fixed ranks, its answer is changed to keep all constraints and, unless the row only
/// constructs, improved by exchanges that keep them. A row that proves or tries others leaves small problems to the
/// prover. Never worse than the ranks in order, as the constraints allow them, but for a row that looks at places only,
/// which answers as always. Predicted time has stages of its own (map_for_predicted_time), which begin with `nearest`,
/// what the row finds for hop-bytes, if that is known. Throws Error(bad_input) if no balance is found.
[[nodiscard]] MapperAnswer conduct(const MapProblem& problem, const Mapper& row, const std::optional<Mapping>& nearest,
                                   const Budget& budget);

/// The row that tries the others: exact where that can finish, else the best of the others, improved; never worse than
/// the identity. For hop-bytes or max congestion, without fixed ranks.
[[nodiscard]] MapperAnswer map_auto(const MapProblem& problem, const Budget& budget);

}  // namespace topowise
