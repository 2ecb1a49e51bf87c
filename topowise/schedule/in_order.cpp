// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/in_order.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace topowise {

Exchange in_order(const Exchange& exchange, const OrderProblem& problem, const Order& order) {
  std::vector<bool> takes_time(exchange.communications().size(), false);
  std::vector<std::uint32_t> numbers;
  for (std::size_t q = 0; q < order.size(); ++q) {
    std::vector<std::size_t> next(problem.queues()[q].items.size(), 0);
    for (const ItemNumber item : order[q]) {
      numbers.push_back(problem.queues()[q].items[item].messages[next[item]++]);
      takes_time[numbers.back()] = true;
    }
  }
  std::vector<Communication> messages;
  for (std::size_t m = 0; m < takes_time.size(); ++m)
    if (!takes_time[m]) messages.push_back(exchange.communications()[m]);
  for (const std::uint32_t m : numbers) messages.push_back(exchange.communications()[m]);
  std::ranges::stable_sort(messages, {}, &Communication::source);
  return Exchange(std::move(messages));
}

}  // namespace topowise
