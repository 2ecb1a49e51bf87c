// SPDX-License-Identifier: BSD-3-Clause
// Exact search for the least max congestion on a machine of any form.
#pragma once

#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Starts from a mapping that is known and keeps fixed ranks and loads. Ends with an optimal one of those, or after
/// so many `branches` or the deadline with the best found and a lower bound, if nothing else `at_least`.
[[nodiscard]] MapperAnswer congestion_search(const MapProblem& problem, const Mapping& start, std::size_t branches,
                                             double at_least, const Deadline& deadline);

}  // namespace topowise
