// SPDX-License-Identifier: BSD-3-Clause
// Turns an order that was found back into an exchange.
#pragma once

#include <topowise/graph/traffic/exchange.hpp>
#include <topowise/schedule/order_problem.hpp>

namespace topowise {

/// The messages of `exchange`, from which `problem` was made, sorted by source. Each source's messages are in the order
/// `order`; before them come its messages that take no time (without bytes, or within a place).
[[nodiscard]] Exchange in_order(const Exchange& exchange, const OrderProblem& problem, const Order& order);

}  // namespace topowise
