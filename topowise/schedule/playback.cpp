// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/schedule/playback.hpp>

#include <algorithm>
#include <bit>
#include <vector>

namespace topowise {
namespace {

constexpr std::size_t kMostDenseMessages = 255;

/// Restarts the messages of which nothing is left: they are whole again, and have all bits set in the result; others
/// have none. It uses masks, because no branch predictor can know which queue ends next.
inline PairBits restart_ended(double* left) {
  const Pair now = load_pair(left);
  const PairBits ended = std::bit_cast<PairBits>(now <= kEndedShare);
  const Pair whole = std::bit_cast<Pair>(ended & std::bit_cast<PairBits>(Pair{1.0, 1.0}));  // 0 if it goes on
  store_pair(left, whole > now ? whole : now);
  return ended;
}

/// The changes of the active set's key when a queue ends a message: `first_change` at the queue's first end (0 if
/// nothing follows), and `last_change` at its last end.
template <std::size_t kStride>
struct DenseRest {
  std::uint64_t first_change[kStride] = {};
  std::uint64_t last_change[kStride] = {};
  std::uint64_t to_come[kStride] = {};  ///< by queue: ends to come, that of the current message included
  std::uint64_t messages = 0;           ///< ends to come of all queues

  DenseRest(const OrderProblem& problem, const OrderProblem::ActiveItems& active, const ForcedRest& rest) {
    for (std::size_t q = 0; q < rest.item.size(); ++q) {
      const std::size_t done = problem.queues()[q].items.size();
      if (active.items[q] == done) continue;
      const std::size_t last = rest.count[q] > 0 ? rest.item[q] : active.items[q];
      first_change[q] = problem.digit(q, last) - problem.digit(q, active.items[q]);
      last_change[q] = problem.digit(q, done) - problem.digit(q, last);
      to_come[q] = rest.count[q] + 1;
      messages += to_come[q];
    }
  }
};

/// Plays where a set is its key. No branch depends on which queue ends, and the compiler knows the number of queues.
template <std::size_t kStride>
ForcedEnd play_dense(OrderProblem& problem, std::uint64_t key, double* left, DenseRest<kStride>& rest) {
  ForcedEnd end;
  while (rest.messages > 0) {
    const std::uint16_t* row = problem.row(key);
    end.seconds += step_to_next_end(row, problem.speeds(), left, left, kStride);
    ++end.steps;
    if (end.seconds >= OrderProblem::kNever) return end;
    for (std::size_t q = 0; q < kStride; ++q) {
      const std::uint64_t ended = left[q] <= kEndedShare ? ~std::uint64_t{0} : 0;
      key += (rest.first_change[q] & ended) + (rest.to_come[q] == 1 ? rest.last_change[q] & ended : 0);
      rest.first_change[q] &= ~ended;
      rest.to_come[q] += ended;  // one less
      rest.messages += ended;
      left[q] = ended != 0 ? 1.0 : left[q];
    }
  }
  return end;
}

ForcedEnd play_hashed(OrderProblem& problem, OrderProblem::ActiveItems active, double* left, ForcedRest rest) {
  const std::size_t stride = problem.stride();
  std::size_t running = 0;
  for (std::size_t q = 0; q < rest.item.size(); ++q) running += active.items[q] < problem.queues()[q].items.size();
  ForcedEnd end;
  while (running > 0) {
    const std::uint16_t* row = problem.row(active);
    end.seconds += step_to_next_end(row, problem.speeds(), left, left, stride);
    ++end.steps;
    if (end.seconds >= OrderProblem::kNever) return end;
    for (std::uint64_t ended = ended_queues(left, stride); ended != 0; ended &= ended - 1) {
      const auto q = static_cast<std::size_t>(std::countr_zero(ended));
      left[q] = 1.0;
      const bool more = rest.count[q] > 0;
      const std::size_t done = problem.queues()[q].items.size();
      problem.set_active(active, q, more ? rest.item[q] : static_cast<ItemNumber>(done));
      if (more) {
        --rest.count[q];
      } else {
        --running;
      }
    }
  }
  return end;
}

/// A whole order where a set is its key: one list a queue, of what the key changes by at each end.
template <std::size_t kStride>
struct DenseOrder {
  std::uint64_t changes[kMostDenseMessages + kStride];  ///< every list ends with 0
  PairBits next[kStride / 2];                           ///< by queue: its next place in `changes`
  std::uint64_t key = 0;                                ///< the key of the first set
  std::uint64_t idle = 0;                               ///< the key of the set in which nothing is sent

  DenseOrder(const OrderProblem& problem, const Order& order) {
    std::size_t end = 0;
    for (std::size_t q = 0; q < kStride; ++q) {
      next[q / 2][q % 2] = end;
      if (q < order.size()) {
        const std::uint64_t place_value = problem.digit(q, 1);
        const std::uint64_t done = problem.digit(q, problem.queues()[q].items.size());
        std::uint64_t digit = order[q].empty() ? done : place_value * order[q].front();
        key += digit;
        idle += done;
        for (std::size_t m = 1; m < order[q].size(); ++m) {
          const std::uint64_t following = place_value * order[q][m];
          changes[end++] = following - digit;
          digit = following;
        }
        if (!order[q].empty()) changes[end++] = done - digit;
      }
      changes[end++] = 0;
    }
  }
  [[nodiscard]] PairBits change(std::size_t pair) const {
    return PairBits{changes[next[pair][0]], changes[next[pair][1]]};
  }
};

/// A step is one long chain from the key to the next key, and it waits most for the row of the key. So the rows that
/// can follow, one for each queue that may end, are fetched while the chain runs.
template <std::size_t kStride>
double play_order_dense(OrderProblem& problem, const Order& order) {
  DenseOrder<kStride> rest(problem, order);
  double left[kStride];
  std::fill_n(left, kStride, 1.0);
  std::uint64_t key = rest.key;
  double time = 0;
  while (key != rest.idle) {
    const std::uint16_t* row = problem.row(key);
    PairBits change[kStride / 2];
    for (std::size_t pair = 0; pair < kStride / 2; ++pair) {
      change[pair] = rest.change(pair);
      problem.prefetch(key + change[pair][0]);
      problem.prefetch(key + change[pair][1]);
    }
    time += step_to_next_end(row, problem.speeds(), left, left, kStride);
    if (time >= OrderProblem::kNever) return time;
    PairBits key_change = {};
    for (std::size_t pair = 0; pair < kStride / 2; ++pair) {
      const PairBits ended = restart_ended(left + 2 * pair);
      key_change += change[pair] & ended;
      rest.next[pair] -= ended;  // moves to the next place
    }
    key += key_change[0] + key_change[1];
  }
  return time;
}

}  // namespace

ForcedEnd play_forced(OrderProblem& problem, const OrderProblem::ActiveItems& active, double* left,
                      const ForcedRest& rest) {
  if (problem.is_dense() && problem.stride() == 8) {
    DenseRest<8> dense(problem, active, rest);
    return play_dense<8>(problem, active.key, left, dense);
  }
  return play_hashed(problem, active, left, rest);
}

double play_order(OrderProblem& problem, const Order& order) {
  if (problem.is_dense() && problem.stride() == 8 && problem.message_count() <= kMostDenseMessages)
    return play_order_dense<8>(problem, order);
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
    const std::uint16_t* row = problem.row(active);
    time += step_to_next_end(row, problem.speeds(), left.data(), left.data(), problem.stride());
    if (time >= OrderProblem::kNever) return time;
    for (std::size_t q = 0; q < queues; ++q) {
      if (left[q] > kEndedShare) continue;
      left[q] = 1.0;
      const bool more = ++sent[q] < order[q].size();
      problem.set_active(active, q,
                         more ? order[q][sent[q]] : static_cast<ItemNumber>(problem.queues()[q].items.size()));
      running -= more ? 0 : 1;
    }
  }
  return time;
}

}  // namespace topowise
