// SPDX-License-Identifier: BSD-3-Clause
// Tabu search for any objective but predicted-time, any size and constraint: it looks at a sample of the exchanges
// only.
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

struct SampledTabuLimits {
  std::size_t gains = 0;  ///< exchanges to look at, over all steps
  double target = 0;
  std::uint64_t seed = 1;
};

/// The limits that fit into the budget on any machine; the search ends by this count and not by the clock.
[[nodiscard]] SampledTabuLimits sampled_tabu_limits(const MapProblem& problem, const Budget& budget, double target);

/// Never returns anything worse than `start`, which must keep the loads and have the fixed ranks on their places.
/// Memory: ranks + slots.
[[nodiscard]] MapperAnswer sampled_tabu(const MapProblem& problem, const Mapping& start,
                                        const SampledTabuLimits& limits, const Deadline& deadline);

}  // namespace topowise
