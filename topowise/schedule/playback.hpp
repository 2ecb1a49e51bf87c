// SPDX-License-Identifier: BSD-3-Clause
// The dynamic congestion graph, stripped for speed: from one end of a message to the next.
#pragma once

#include <cstdint>
#include <span>

#include <topowise/schedule/order_problem.hpp>

namespace topowise {

/// A message with less than this share left has ended, so that ties end together.
inline constexpr double kEndedShare = 1e-9;

/// One step: `left` is the share of its message that each queue has still to send (1 for an idle queue), `row` is
/// OrderProblem::row(). Writes what is left at the next end to `after` and gives its distance in seconds, or
/// OrderProblem::kNever or more if nothing moves.
inline double step_to_next_end(std::span<const double> row, const double* left, double* after, std::size_t stride) {
  const double* share = row.data();
  const double* inverse = share + stride;
  double next[4] = {left[0] * inverse[0], left[1] * inverse[1], left[2] * inverse[2], left[3] * inverse[3]};
  for (std::size_t q = 4; q < stride; q += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const double time = left[q + lane] * inverse[q + lane];
      next[lane] = time < next[lane] ? time : next[lane];
    }
  }
  const double low = next[0] < next[1] ? next[0] : next[1];
  const double high = next[2] < next[3] ? next[2] : next[3];
  const double duration = low < high ? low : high;
  for (std::size_t q = 0; q < stride; ++q) after[q] = left[q] - duration * share[q];
  return duration;
}

/// Seconds from the first start to the last end if every queue sends in this order; OrderProblem::kNever or more if
/// some message never moves.
[[nodiscard]] double play_order(OrderProblem& problem, const Order& order);

}  // namespace topowise
