// SPDX-License-Identifier: BSD-3-Clause
// Which numbers a cost can be.
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// The rounding of a sum of some thousand costs, as a share: searches that look at everything distinguish two mappings
/// if their costs differ by more.
inline constexpr double kRoundingOfSums = 1e-11;

/// Every mapping's cost is a multiple of this; 0 if no such number is known.
[[nodiscard]] double cost_step(const MapProblem& problem);

/// Far above the rounding of any sum that makes a bound or a cost, as a share.
inline constexpr double kRounding = 1e-9;

/// The least number that a cost can be and that is not below `bound`, if that is off by a share of `rounding`.
[[nodiscard]] double next_cost(double bound, double step, double rounding = kRounding);

/// The rounding of a bound that adds up the entries of the traffic once, or some thousand products of them.
[[nodiscard]] double rounding_of_one_sum(const Traffic& traffic);

/// Whether ways there and back are known to cost the same.
[[nodiscard]] bool is_symmetric(const MapProblem& problem);

/// Whether the bound proves the cost: it is no less than the cost or, where costs are fractions, less only by rounding.
[[nodiscard]] bool is_proven(const MapProblem& problem, double cost, double bound);

/// The share of `cost` by which a proof may be wrong, where that is enough to hide what some pair of ranks pays: 0 if
/// it is not, or if costs come in steps that are distinguished.
[[nodiscard]] double proof_tolerance(const MapProblem& problem, double cost);

/// The cost of `mapping`. Throws Error(bad_input) if that is more than a double holds.
[[nodiscard]] double finite_cost_of(const MapProblem& problem, const Mapping& mapping);

/// Throws Error(bad_input) if the cost of some mapping might be more than a double holds: no search could compare it.
void check_finite(const MapProblem& problem);

}  // namespace topowise
