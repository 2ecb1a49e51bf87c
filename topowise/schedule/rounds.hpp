// SPDX-License-Identifier: BSD-3-Clause
// Orders that keep messages out of each other's way at both ends. They are good where the time depends on what a place
// sends and receives, as in an all-to-all. A search starts from them.
#pragma once

#include <topowise/schedule/order_problem.hpp>

namespace topowise {

/// Every source serves the next places after it first, cyclically. Takes O(messages log messages).
[[nodiscard]] Order rotation_order(const OrderProblem& problem);

/// Makes the least number of rounds in which no port sends, and none receives, more than one message. Gives the order
/// as it was given where ports x rounds are more than 50 million. Takes O(messages x ports) at most.
[[nodiscard]] Order matching_order(const OrderProblem& problem);

/// The queue that is free first sends what can be received first. Takes O(messages x (queues + most messages of a
/// queue)).
[[nodiscard]] Order list_order(const OrderProblem& problem);

}  // namespace topowise
