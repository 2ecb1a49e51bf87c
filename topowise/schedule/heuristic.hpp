// SPDX-License-Identifier: BSD-3-Clause
// A good order for exchanges that are too large for a proof.
#pragma once

#include <cstdint>

#include <topowise/schedule/branch_and_bound.hpp>
#include <topowise/schedule/order_problem.hpp>

namespace topowise {

/// Simulated annealing from `start`. limits.steps bounds the work, so the same seed gives the same order everywhere.
/// The lower bound is the time that the whole work needs under any order.
[[nodiscard]] FoundOrder anneal(OrderProblem& problem, const Order& start, std::uint64_t seed,
                                const SearchLimits& limits);

/// Uses branch and bound where it can begin, annealing where it cannot, and both where the proof does not come to its
/// end.
[[nodiscard]] FoundOrder best_order(OrderProblem& problem, std::uint64_t seed, const SearchLimits& limits = {});

// Orders that keep messages out of each other's way at both ends. They are good where the time depends on what a place
// sends and receives, as in an all-to-all. A search starts from them.

/// Every source serves the next places after it first, cyclically. Takes O(messages log messages).
[[nodiscard]] Order rotation_order(const OrderProblem& problem);

/// Makes the least number of rounds in which no port sends, and none receives, more than one message. Gives the order
/// as it was given where ports x rounds are more than 50 million. Takes O(messages x ports) at most.
[[nodiscard]] Order matching_order(const OrderProblem& problem);

/// The queue that is free first sends what can be received first. Takes O(messages x (queues + most messages of a
/// queue)).
[[nodiscard]] Order list_order(const OrderProblem& problem);

}  // namespace topowise
