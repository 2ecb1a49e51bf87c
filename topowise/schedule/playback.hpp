// SPDX-License-Identifier: BSD-3-Clause
// The dynamic congestion graph, stripped for speed: from one end of a message to the next.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/schedule/order_problem.hpp>

namespace topowise {

/// A message with less than this share left has ended, so that ties end together.
inline constexpr double kEndedShare = 1e-9;

/// One step: `left` is the share of its message that each queue has still to send (1 for an idle queue), `row` and
/// `speeds` are those of OrderProblem. Writes what is left at the next end to `after`, which may be `left`, and gives
/// the distance of that end in seconds, OrderProblem::kNever or more if nothing moves.
inline double step_to_next_end(const std::uint16_t* row, const OrderProblem::Speed* speeds, const double* left,
                               double* after, std::size_t stride) {
  double next[4] = {OrderProblem::kNever, OrderProblem::kNever, OrderProblem::kNever, OrderProblem::kNever};
  for (std::size_t q = 0; q < stride; q += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const double time = left[q + lane] * speeds[row[q + lane]].inverse;
      next[lane] = time < next[lane] ? time : next[lane];
    }
  }
  const double low = next[0] < next[1] ? next[0] : next[1];
  const double high = next[2] < next[3] ? next[2] : next[3];
  const double duration = low < high ? low : high;
  for (std::size_t q = 0; q < stride; ++q) after[q] = left[q] - duration * speeds[row[q]].share;
  return duration;
}

/// The queues of which nothing is left, one bit a queue.
inline std::uint64_t ended_queues(const double* left, std::size_t stride) {
  std::uint64_t ended = 0;
  for (std::size_t q = 0; q < stride; ++q) ended |= static_cast<std::uint64_t>(left[q] <= kEndedShare) << q;
  return ended;
}

/// What each queue still sends, where nothing is open any more: so often the same item.
struct ForcedRest {
  std::vector<std::uint8_t> item;
  std::vector<std::uint32_t> count;
};
struct ForcedEnd {
  double seconds = 0;     ///< from now to the last end
  std::size_t steps = 0;  ///< time steps
};
/// Plays to the end. `left` has stride() entries and is used up.
[[nodiscard]] ForcedEnd play_forced(OrderProblem& problem, const OrderProblem::ActiveItems& active, double* left,
                                    const ForcedRest& rest);

/// Seconds from the first start to the last end if every queue sends in this order; OrderProblem::kNever or more if
/// some message never moves.
[[nodiscard]] double play_order(OrderProblem& problem, const Order& order);

}  // namespace topowise
