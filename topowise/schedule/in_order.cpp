// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/in_order.hpp>

#include <algorithm>

namespace topowise {

Exchange in_order(const Exchange& exchange, const OrderProblem& problem, const Order& order) {
  std::vector<Communication> messages;
  for (std::size_t q = 0; q < order.size(); ++q) {
    std::vector<std::size_t> next(problem.queues()[q].items.size(), 0);
    for (const ItemNumber item : order[q])
      messages.push_back(exchange.communications()[problem.queues()[q].items[item].messages[next[item]++]]);
  }
  std::ranges::stable_sort(messages, {}, &Communication::source);
  return Exchange(std::move(messages));
}

}  // namespace topowise
