// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/playback.hpp>

#include <vector>

namespace topowise {

double play_order(OrderProblem& problem, const Order& order) {
  const std::size_t queues = order.size();
  OrderProblem::ActiveItems active = problem.nothing_active();
  std::vector<double> left(problem.stride(), 1.0);
  std::vector<std::size_t> sent(queues, 0);
  std::size_t running = 0;
  for (std::size_t q = 0; q < queues; ++q) {
    if (order[q].empty()) continue;
    problem.set_active(active, q, order[q][0]);
    ++running;
  }
  double time = 0;
  while (running > 0) {
    time += step_to_next_end(problem.row(active), left.data(), left.data(), problem.stride());
    if (time >= OrderProblem::kNever) return time;
    for (std::size_t q = 0; q < queues; ++q) {
      if (left[q] > kEndedShare) continue;
      left[q] = 1.0;
      const bool more = ++sent[q] < order[q].size();
      problem.set_active(active, q,
                         more ? order[q][sent[q]] : static_cast<std::uint8_t>(problem.queues()[q].items.size()));
      running -= more ? 0 : 1;
    }
  }
  return time;
}

}  // namespace topowise
