// SPDX-License-Identifier: BSD-3-Clause
// An order that was found, as an exchange again.
#pragma once

#include <topowise/graph/traffic/exchange.hpp>
#include <topowise/schedule/order_problem.hpp>

namespace topowise {

/// The messages of `exchange`, from which `problem` was made: by source, each source's in this order, before them those
/// that take no time (no bytes, or within a place).
[[nodiscard]] Exchange in_order(const Exchange& exchange, const OrderProblem& problem, const Order& order);

}  // namespace topowise
