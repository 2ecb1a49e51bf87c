// SPDX-License-Identifier: BSD-3-Clause
// A lower bound of the hop-bytes for any number of ranks a place.
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {

/// What may be spent on flows.
struct FlowWork {
  double steps = 0;  ///< visits of ranks
  int threads = 1;   ///< the result does not depend on it
  Deadline deadline = Deadline::never();
};

/// 0 where nothing is known: a machine too large to look at every pair of places and no uniform hierarchy, or traffic
/// that could be kept on one place. Several times better for many ranks per place if something is spent on flows
/// (flow_bound). Every cost is a multiple of `step`, if that is above 0.
[[nodiscard]] double level_bound(const MapProblem& problem, const Partners& partners, const FlowWork& flows = {},
                                 double step = 0);

}  // namespace topowise
