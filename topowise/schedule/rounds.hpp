// SPDX-License-Identifier: BSD-3-Clause
// Orders that keep messages out of each other's way at both ends: good where what a place sends and receives decides,
// as in an all-to-all. A search starts from them.
#pragma once

#include <topowise/schedule/order_problem.hpp>

namespace topowise {

/// Every source serves the places behind it first. O(messages log messages).
[[nodiscard]] Order rotation_order(const OrderProblem& problem);

/// Rounds in which no port sends, and none receives, more than one message, in the least number; as given where
/// ports x rounds are more than 50 million. O(messages x ports) at most.
[[nodiscard]] Order matching_order(const OrderProblem& problem);

/// Whoever is free first sends what can be received first. O(messages x (queues + most messages of a queue)).
[[nodiscard]] Order list_order(const OrderProblem& problem);

}  // namespace topowise
