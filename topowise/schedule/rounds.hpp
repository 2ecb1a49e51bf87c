// SPDX-License-Identifier: BSD-3-Clause
// Orders that keep messages out of each other's way at both ends.
#pragma once

#include <vector>

#include <topowise/schedule/order_problem.hpp>

namespace topowise {

/// Three orders of the exchange, good where what a place sends and receives decides, as in an all-to-all; each a start
/// for a search. O(messages x (queues + most messages of a queue)).
///   - rotation: every source serves the places behind it first;
///   - matchings: rounds in which no port sends, and none receives, more than one message, in the least number;
///   - lists: whoever is free first sends what can be received first.
[[nodiscard]] std::vector<Order> orders_of_rounds(const OrderProblem& problem);

}  // namespace topowise
