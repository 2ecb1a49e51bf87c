// SPDX-License-Identifier: BSD-3-Clause
// A lower bound of the max congestion by what one rank has to send or receive.
#pragma once

#include <span>

#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {

/// Seconds that the busiest rank needs for what cannot stay in its group (its place, socket, node, ...), over the links
/// by which the best place reaches others. `rates`: bytes/s by LinkId. Returns 0 for more than 512 places, because each
/// pair of places is looked at, and where a rate is not known.
[[nodiscard]] double exit_bound(const MapProblem& problem, const Partners& partners, std::span<const double> rates);

}  // namespace topowise
