// SPDX-License-Identifier: BSD-3-Clause
// A lower bound of the max congestion.
#pragma once

#include <span>

#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {

/// Seconds that the fullest of the links around the nodes, sockets, ... of the machine needs at least, whoever stands
/// where; 0 where nothing must cross, or a rate is not known. `rates`: bytes/s by LinkId. O(messages log messages +
/// links x depth of the machine).
[[nodiscard]] double link_cut_bound(const MapProblem& problem, const Partners& partners, std::span<const double> rates);

}  // namespace topowise
