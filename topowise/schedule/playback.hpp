// SPDX-License-Identifier: BSD-3-Clause
// The dynamic congestion graph, reduced to what speed allows: it goes from one end of a message to the next.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include <topowise/schedule/order_problem.hpp>

namespace topowise {

/// A message with less than this share left has ended, so that messages which tie end together.
inline constexpr double kEndedShare = 1e-9;

/// Two queues side by side, which every processor's vector unit can hold. A comparison sets all bits or none.
using Pair [[gnu::vector_size(16)]] = double;
using PairBits [[gnu::vector_size(16)]] = std::uint64_t;

inline Pair load_pair(const double* from) {
  Pair pair;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}
inline void store_pair(double* to, Pair pair) {
  std::memcpy(to, &pair, sizeof pair);
}

inline Pair smaller(Pair a, Pair b) {
  return a < b ? a : b;
}

/// One step. `left` is the share of its message that each queue has still to send (1 for an idle queue); `row` and
/// `speeds` are those of OrderProblem. Writes what is left at the next end to `after`, which may be `left`. Returns the
/// seconds until that end, or OrderProblem::kNever or more if nothing moves.
inline double step_to_next_end(const std::uint16_t* row, OrderProblem::Speeds speeds, const double* left, double* after,
                               std::size_t stride) {
  const auto time_of = [&](std::size_t q) {
    return load_pair(left + q) * Pair{speeds.inverse[row[q]], speeds.inverse[row[q + 1]]};
  };
  Pair even = time_of(0);
  Pair odd = time_of(2);
  for (std::size_t q = 4; q < stride; q += 4) {
    even = smaller(even, time_of(q));
    odd = smaller(odd, time_of(q + 2));
  }
  const Pair both = smaller(even, odd);
  const Pair duration = smaller(both, Pair{both[1], both[0]});
  for (std::size_t q = 0; q < stride; q += 2) {
    const Pair share = {speeds.share[row[q]], speeds.share[row[q + 1]]};
    store_pair(after + q, load_pair(left + q) - duration * share);
  }
  return duration[0];
}

/// The queues that have nothing left of their message, one bit a queue.
inline std::uint64_t ended_queues(const double* left, std::size_t stride) {
  std::uint64_t ended = 0;
  for (std::size_t q = 0; q < stride; ++q) ended |= static_cast<std::uint64_t>(left[q] <= kEndedShare) << q;
  return ended;
}

/// What each queue still sends when no choice is open: one item, so many times.
struct ForcedRest {
  std::vector<ItemNumber> item;
  std::vector<std::uint32_t> count;
};
struct ForcedEnd {
  double seconds = 0;     ///< time from now to the last end
  std::size_t steps = 0;  ///< time steps
};
/// Plays to the end. `left` has stride() entries; its content is used up.
[[nodiscard]] ForcedEnd play_forced(OrderProblem& problem, const OrderProblem::ActiveItems& active, double* left,
                                    const ForcedRest& rest);

/// Seconds from the first start to the last end if every queue sends in this order; OrderProblem::kNever or more if
/// some message never moves.
[[nodiscard]] double play_order(OrderProblem& problem, const Order& order);

}  // namespace topowise
