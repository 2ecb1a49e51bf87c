// SPDX-License-Identifier: BSD-3-Clause
// What all searches have in common that go from mapping to mapping by exchanges of a table.
#pragma once

#include <cstddef>
#include <cstdint>

#include <topowise/mapper/exchange/facilities.hpp>
#include <topowise/mapper/exchange/whole_units.hpp>
#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

struct ExchangeLimits {
  std::size_t iterations = 0;  ///< exchanges, of all threads together; the same for the same problem: repeatable
  double target = 0;           ///< stop at this cost: it is known to be optimal
  std::uint64_t seed = 1;
  int threads = 1;  ///< of searches that can use several; the result does not depend on it
};

struct ExchangeResult {
  SlotOfRank slot_of_rank;
  double cost = 0;
};

/// A mapping on its way, and the best that it has been. Table is an ExchangeTable, a WeighedTable or a
/// ShortTable.
template <class Table>
class ExchangeSearch {
 protected:
  ExchangeSearch(const Instance& instance, const WholeUnits& units, const SlotOfRank& start,
                 const ExchangeLimits& limits)
      : table_(instance, units, start),
        unit_(units.flow * units.cost),
        limits_(limits),
        cost_(instance.cost_of(start)),
        best_{start, cost_} {}

  /// What a lower cost must be lower by.
  [[nodiscard]] double tolerance() const { return 1e-12 * best_.cost; }

  void go(FacilityPair pair) {
    cost_ += unit_ * static_cast<double>(table_.exchange(pair));
    if (cost_ < best_.cost - tolerance()) keep();
  }

  /// The mapping as it is counts as the best.
  void keep() {
    best_.cost = cost_;
    const auto ranks = static_cast<std::ptrdiff_t>(table_.ranks());
    best_.slot_of_rank.assign(table_.slots().begin(), table_.slots().begin() + ranks);
  }

  Table table_;
  double unit_;  ///< of the table's entries
  ExchangeLimits limits_;
  double cost_;
  ExchangeResult best_;
};

}  // namespace topowise
