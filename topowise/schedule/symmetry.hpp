// SPDX-License-Identifier: BSD-3-Clause
// Renumberings of an exchange that change no time, and the first moves that remain different under them.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/schedule/order_problem.hpp>

namespace topowise {

/// The group of them, the identity first; only the identity if the search would take long (more than 512 kinds of
/// messages, 10,000 symmetries or a million trials).
[[nodiscard]] std::vector<OrderSymmetry> find_symmetries(const OrderProblem& problem);

/// An item for every queue to begin with; `weight` first moves are images of this one.
struct FirstMove {
  std::vector<ItemNumber> items;
  double weight = 1;
};
inline constexpr double kMostFirstMoves = 4e6;
/// Product of the numbers of items.
[[nodiscard]] double first_move_count(const OrderProblem& problem);
/// One of each class. There must not be more than kMostFirstMoves in all.
[[nodiscard]] std::vector<FirstMove> first_moves(const OrderProblem& problem,
                                                 const std::vector<OrderSymmetry>& symmetries);

}  // namespace topowise
