// SPDX-License-Identifier: BSD-3-Clause
// Exact search for the least hop-bytes where ranks have loads, on a machine of any form.
#pragma once

#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Starts from a known mapping that keeps fixed ranks and loads. Ends with an optimal one of those mappings or, after
/// that many `branches` or at the deadline, with the best one found and a lower bound, which is never below `at_least`.
[[nodiscard]] MapperAnswer load_search(const MapProblem& problem, const Mapping& start, std::size_t branches,
                                       double at_least, const Deadline& deadline);

}  // namespace topowise
