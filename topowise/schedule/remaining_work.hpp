// SPDX-License-Identifier: BSD-3-Clause
// A lower bound of the time at which an order can end.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/schedule/order_problem.hpp>

namespace topowise {

/// Bounds the time of what is still to be sent. A link needs the bytes that still cross it over its capacity, and a
/// queue needs the time that its messages take alone. No order is faster, because no link carries more than its
/// capacity and no message is faster than alone (pcie_congestion.cpp, step E).
class RemainingWork {
 public:
  explicit RemainingWork(const OrderProblem& problem);

  /// Says that the message has begun, or with take_back() that it has not begun after all.
  void begin(std::size_t queue, ItemNumber item) { add(queue, item, -1.0); }
  void take_back(std::size_t queue, ItemNumber item) { add(queue, item, 1.0); }

  /// Seconds from now; `left` as in step_to_next_end().
  [[nodiscard]] double bound(const OrderProblem::ActiveItems& active, const double* left);

 private:
  struct Use {
    std::uint32_t link = 0;  ///< number among the links in use
    double seconds = 0;      ///< time of the whole message on that link
  };
  struct ItemWork {
    double alone = 0;
    std::vector<Use> uses;
  };
  void add(std::size_t queue, ItemNumber item, double sign);

  std::vector<std::vector<ItemWork>> work_;  ///< by queue and item
  std::vector<double> link_seconds_;         ///< by link: seconds of the messages that have not begun
  std::vector<double> queue_seconds_;
  std::vector<double> sum_;
};

/// The bound of the whole exchange: no order ends earlier.
[[nodiscard]] Seconds bound_of_all_orders(const OrderProblem& problem);

}  // namespace topowise
