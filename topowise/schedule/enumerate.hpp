// SPDX-License-Identifier: BSD-3-Clause
// The time of every order of an exchange.
#pragma once

#include <functional>
#include <vector>

#include <cstddef>
#include <topowise/base/units.hpp>
#include <topowise/schedule/order_problem.hpp>

namespace topowise {

// How often each makespan occurs among many orders.

/// Counts positive values by value. Memory is bounded: above about two million different values, neighbours are merged,
/// at first those that agree in 40 bits of the mantissa.
class Distribution {
 public:
  void add(double value, double count) {
    entries_.push_back({value, count});
    if (entries_.size() >= kMost) compress();
  }

  [[nodiscard]] double count() const;
  /// The value below which the share `share` of the count lies; 0 if nothing was counted.
  [[nodiscard]] double quantile(double share) const;
  /// Counts in `bins` equal parts between the smallest and the largest value.
  struct Bin {
    double low = 0;
    double high = 0;
    double count = 0;
  };
  [[nodiscard]] std::vector<Bin> histogram(std::size_t bins) const;

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 22;
  struct Entry {
    double value = 0;
    double count = 0;
  };
  void compress();
  std::vector<Entry> entries_;
  int dropped_bits_ = 12;
};

struct EnumerationProgress {
  double evaluated = 0;  ///< orders, images under symmetries included
  double total = 0;
  Seconds best;
};
/// Called now and then; false stops the enumeration.
using EnumerationWatch = std::function<bool(const EnumerationProgress&)>;

struct Enumeration {
  Order best_order;
  Seconds best;
  Order worst_order;
  Seconds worst;
  Distribution times;    ///< in seconds, of all orders that were evaluated
  double evaluated = 0;  ///< number of orders, images under symmetries included
  double total = 0;
  bool complete = true;  ///< false if the watch stopped it; best and worst are then those of the orders seen
  std::size_t symmetries = 1;
  std::size_t steps = 0;  ///< time steps that were played
  std::size_t sets = 0;   ///< active sets of which the factors were computed
};

/// Orders with a common beginning share the play of it. First moves that are images of each other under a symmetry are
/// played once. Throws Error(bad_input) for more than a million million orders.
[[nodiscard]] Enumeration enumerate_orders(OrderProblem& problem, const EnumerationWatch& watch = {});

}  // namespace topowise
