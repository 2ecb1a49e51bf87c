// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// SCOTCH_graphMap of the traffic onto the complete graph of the places. Throws Error(not_available) without libscotch.
[[nodiscard]] MapperAnswer map_scotch(const MapProblem& problem, const Budget&);

}  // namespace topowise
