// SPDX-License-Identifier: BSD-3-Clause
// Regular networks (graph/network_shape.hpp) of which no table of all pairs is made.
#pragma once

#include <utility>
#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

inline constexpr std::size_t kMostNetworkAxes = 8;  ///< of a grid; more are treated as any other machine

[[nodiscard]] bool is_known(const NetworkShape& shape);

/// True for a regular network with so many places that a table of all pairs would be a burden.
[[nodiscard]] bool is_large_network(const MapProblem& problem);

/// By hops, the fewest first: so many places are that far from some place, and no place has more in so many hops or
/// fewer.
[[nodiscard]] std::vector<std::pair<int, std::size_t>> most_at_hops(const NetworkShape& shape);

}  // namespace topowise
