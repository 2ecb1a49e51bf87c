// SPDX-License-Identifier: BSD-3-Clause
// Renumberings of an exchange that change no time, and the first moves that still differ under them.
#pragma once

#include <vector>

#include <topowise/schedule/order_problem.hpp>

namespace topowise {

/// The group of symmetries, the identity first. It is only the identity if the search would take long (more than 512
/// kinds of messages, 10,000 symmetries or a million trials).
[[nodiscard]] std::vector<OrderSymmetry> find_symmetries(const OrderProblem& problem);

/// An item for every queue to begin with. It stands for `weight` first moves, which are its images.
struct FirstMove {
  std::vector<ItemNumber> items;
  double weight = 1;
};
inline constexpr double kMostFirstMoves = 4e6;
/// Number of first moves: the product of the queues' numbers of items.
[[nodiscard]] double first_move_count(const OrderProblem& problem);
/// One first move of each class. There must not be more than kMostFirstMoves in all.
[[nodiscard]] std::vector<FirstMove> first_moves(const OrderProblem& problem,
                                                 const std::vector<OrderSymmetry>& symmetries);

}  // namespace topowise
