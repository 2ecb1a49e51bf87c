// SPDX-License-Identifier: BSD-3-Clause
// A move exchanges two messages of one queue. Worse orders are accepted with a probability that falls from "2 % worse
// is usual" to "nothing worse". There are several rounds, and each starts from the best order so far.
#include <topowise/schedule/heuristic.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <topowise/base/random.hpp>
#include <topowise/schedule/playback.hpp>
#include <topowise/schedule/remaining_work.hpp>
#include <topowise/schedule/rounds.hpp>
#include <topowise/schedule/symmetry.hpp>

namespace topowise {
namespace {

constexpr int kRounds = 4;
constexpr double kFirstTemperature = 0.02;  ///< as a share of the makespan

/// Queues in which an exchange of messages can change the time.
std::vector<std::size_t> open_queues(const OrderProblem& problem) {
  std::vector<std::size_t> open;
  for (std::size_t q = 0; q < problem.queues().size(); ++q) {
    if (problem.queues()[q].items.size() > 1) open.push_back(q);
  }
  return open;
}

/// True if making lists takes no longer than the search that starts from them.
bool is_worth_lists(const OrderProblem& problem) {
  constexpr double kMostWork = 2e8;  ///< half a second
  std::size_t longest = 0;
  for (const OrderQueue& queue : problem.queues()) longest = std::max(longest, queue.message_count);
  return static_cast<double>(problem.message_count()) * static_cast<double>(problem.queues().size() + longest) <=
         kMostWork;
}

/// The given order, or an order of rounds if that is faster. The rotation is tried without asking limits.stop(),
/// because playing it takes no longer than playing the given order.
Order fastest_start(OrderProblem& problem, const SearchLimits& limits) {
  Order best = problem.given();
  double least = play_order(problem, best);
  const double enough = bound_of_all_orders(problem).value() * (1 + 1e-9);
  for (const auto make : {rotation_order, matching_order, list_order}) {
    if (least <= enough || (make != rotation_order && limits.stop())) break;
    if (make == list_order && !is_worth_lists(problem)) break;
    Order order = make(problem);
    const double time = play_order(problem, order);
    if (time >= least * (1 - 1e-12)) continue;
    least = time;
    best = std::move(order);
  }
  return best;
}

}  // namespace

FoundOrder anneal(OrderProblem& problem, const Order& start, std::uint64_t seed, const SearchLimits& limits) {
  FoundOrder best;
  best.order = start;
  best.makespan = Seconds(play_order(problem, start));
  best.lower_bound = bound_of_all_orders(problem);
  const std::vector<std::size_t> open = open_queues(problem);
  if (open.empty()) best.lower_bound = best.makespan;
  const std::uint64_t trials_a_round = limits.steps / (kRounds * std::max<std::size_t>(1, problem.message_count()));
  // Asks limits.stop() once in so many messages, because to play thousands of them takes milliseconds.
  constexpr std::size_t kMessagesBetweenLooks = 1U << 14U;
  const std::size_t look =
      std::max<std::size_t>(1, kMessagesBetweenLooks / std::max<std::size_t>(1, problem.message_count()));
  Random random(seed);
  for (int round = 0; round < kRounds && !best.proven_optimal() && !limits.stop(); ++round) {
    Order order = best.order;
    double now = best.makespan.value();
    for (std::uint64_t trial = 0; trial < trials_a_round && !best.proven_optimal(); ++trial) {
      if (trial % look == 0 && limits.stop()) break;
      std::vector<ItemNumber>& queue = order[open[random.below(static_cast<std::uint32_t>(open.size()))]];
      const auto size = static_cast<std::uint32_t>(queue.size());
      const std::uint32_t a = random.below(size);
      const std::uint32_t b = random.below(size);
      if (queue[a] == queue[b]) continue;
      std::swap(queue[a], queue[b]);
      const double time = play_order(problem, order);
      best.steps += problem.message_count();
      const double progress = static_cast<double>(trial) / static_cast<double>(trials_a_round);
      const double temperature = kFirstTemperature * now * (1 - progress) * (1 - progress);
      if (time > now && !(random.unit() < std::exp((now - time) / std::max(temperature, 1e-300)))) {
        std::swap(queue[a], queue[b]);
        continue;
      }
      now = time;
      if (time < best.makespan.value() * (1 - 1e-12)) {
        best.makespan = Seconds(time);
        best.order = order;
      }
    }
  }
  if (best.proven_optimal()) best.lower_bound = best.makespan;  // the two differ only by rounding
  return best;
}

FoundOrder best_order(OrderProblem& problem, std::uint64_t seed, const SearchLimits& limits) {
  const bool can_branch = first_move_count(problem) <= kMostBranches && problem.queues().size() <= 64;
  const Order start = fastest_start(problem, limits);
  if (!can_branch) return anneal(problem, start, seed, limits);
  FoundOrder proven = branch_and_bound(problem, start, limits);
  if (proven.proven_optimal()) return proven;
  FoundOrder better = anneal(problem, proven.order, seed, limits);
  better.steps += proven.steps;
  better.lower_bound = std::max(better.lower_bound, std::min(proven.lower_bound, better.makespan));
  return better;
}

}  // namespace topowise
