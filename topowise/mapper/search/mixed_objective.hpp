// SPDX-License-Identifier: BSD-3-Clause
// The objective `mix`: hop-bytes and max congestion in one number.
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// The divisors of the mix: what the reference costs, 1 where that is nothing.
[[nodiscard]] ObjectiveMix relative_to(const MapProblem& problem, const Mapping& reference);

/// Takes the better, by the mix, of the mappings that the mapper finds for each objective alone, and improves it by
/// exchanges unless the mapper is a construction. The bounds of both, weighted, are a bound of the mix. A mapper that
/// does not look at the traffic answers as always.
[[nodiscard]] MapperAnswer map_for_mix(const MapProblem& problem, const Mapper& mapper, const Mapper& quick,
                                       const Budget& budget);

}  // namespace topowise
