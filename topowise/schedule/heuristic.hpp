// SPDX-License-Identifier: BSD-3-Clause
// A good order for exchanges that are too large for a proof.
#pragma once

#include <cstdint>

#include <topowise/schedule/branch_and_bound.hpp>

namespace topowise {

/// Simulated annealing from `start`. limits.steps bounds the work, so the same seed gives the same order everywhere.
/// The lower bound is the time that the whole work needs under any order.
[[nodiscard]] FoundOrder anneal(OrderProblem& problem, const Order& start, std::uint64_t seed,
                                const SearchLimits& limits);

/// Uses branch and bound where it can begin, annealing where it cannot, and both where the proof does not come to its
/// end.
[[nodiscard]] FoundOrder best_order(OrderProblem& problem, std::uint64_t seed, const SearchLimits& limits = {});

}  // namespace topowise
