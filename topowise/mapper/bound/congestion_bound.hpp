// SPDX-License-Identifier: BSD-3-Clause
// The lower bound of the max congestion.
#pragma once

#include <span>

#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {

/// Seconds that the fullest link needs at least, whoever is where. O(messages log messages), and a look at each
/// pair of up to 512 places.
[[nodiscard]] double congestion_bound(const MapProblem& problem, const Partners& partners);
/// The same with other rates of the links, in bytes/s by LinkId.
[[nodiscard]] double congestion_bound(const MapProblem& problem, const Partners& partners,
                                      std::span<const double> rates);

}  // namespace topowise
