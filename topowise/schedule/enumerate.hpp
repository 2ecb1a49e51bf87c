// SPDX-License-Identifier: BSD-3-Clause
// The time of every order of an exchange.
#pragma once

#include <functional>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/schedule/distribution.hpp>
#include <topowise/schedule/order_problem.hpp>

namespace topowise {

struct EnumerationProgress {
  double evaluated = 0;  ///< orders, images under symmetries included
  double total = 0;
  Seconds best;
};
/// Called now and then; false stops the enumeration.
using EnumerationWatch = std::function<bool(const EnumerationProgress&)>;

struct Enumeration {
  Order best_order;
  Seconds best;
  Order worst_order;
  Seconds worst;
  Distribution times;    ///< in seconds, of all orders that were evaluated
  double evaluated = 0;  ///< number of orders, images under symmetries included
  double total = 0;
  bool complete = true;  ///< false if the watch stopped it; best and worst are then those of the orders seen
  std::size_t symmetries = 1;
  std::size_t steps = 0;  ///< time steps that were played
  std::size_t sets = 0;   ///< active sets of which the factors were computed
};

/// Orders with a common beginning share the play of it. First moves that are images of each other under a symmetry are
/// played once. Throws Error(bad_input) for more than a million million orders.
[[nodiscard]] Enumeration enumerate_orders(OrderProblem& problem, const EnumerationWatch& watch = {});

}  // namespace topowise
