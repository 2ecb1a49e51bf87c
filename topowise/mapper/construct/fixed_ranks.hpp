// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Throws Error(bad_input): a rank or place that does not exist or may not be used, a rank that is fixed twice, more
/// ranks (or load) fixed on a place than it holds.
void check_fixed(const MapProblem& problem);

/// The same mapping with every fixed rank on its place, others moved for it; places may be overloaded where ranks have
/// loads.
[[nodiscard]] Mapping place_fixed(const MapProblem& problem, const Mapping& mapping);

}  // namespace topowise
