// SPDX-License-Identifier: BSD-3-Clause
// The best order of an exchange, with a proof.
#pragma once

#include <cstdint>
#include <functional>

#include <topowise/base/units.hpp>
#include <topowise/schedule/order_problem.hpp>

namespace topowise {

struct SearchLimits {
  std::uint64_t steps = 20'000'000;                   ///< most time steps to play: they are the same on every machine
  std::function<bool()> stop = [] { return false; };  ///< asked now and then
};

struct FoundOrder {
  Order order;
  Seconds makespan;
  Seconds lower_bound;  ///< no order is faster; equal to the makespan if the order is proven optimal
  std::uint64_t steps = 0;

  [[nodiscard]] bool proven_optimal() const { return makespan.value() <= lower_bound.value() * (1 + 1e-9); }
};

/// branch_and_bound() cannot begin with more first moves than this, images under symmetries included.
inline constexpr double kMostBranches = 200'000;

/// `incumbent` is an order to beat, such as OrderProblem::given(). If a limit is reached, the bound is that of the
/// orders that were not looked at. The problem must not have more than kMostBranches first moves, nor more than 64
/// queues.
[[nodiscard]] FoundOrder branch_and_bound(OrderProblem& problem, const Order& incumbent,
                                          const SearchLimits& limits = {});

}  // namespace topowise
