// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>

#include <topowise/base/random.hpp>
#include <topowise/mapper/exchange/drawn_exchange.hpp>
#include <topowise/mapper/exchange/exchange_search.hpp>

namespace topowise {

/// A mapping that wanders (thermal_walk.cpp). Table is a WeighedTable or a ShortTable.
template <class Table>
class Wanderer : private ExchangeSearch<Table> {
 public:
  Wanderer(const Instance& instance, const WholeUnits& units, const SlotOfRank& start, const ExchangeLimits& limits)
      : Base(instance, units, start, limits) {
    table_.hide_last(kMemory);
  }

  /// Some exchanges at one temperature; the time that they take, within limits: nothing follows from how much longer it
  /// is where hardly any exchange has a weight. None if in the end no exchange has any.
  std::optional<double> go_on(std::size_t exchanges, double temperature, Random& random) {
    this->keep();
    table_.weigh(-unit_ / (temperature * std::numbers::ln2));
    double time = 0;
    for (std::size_t k = 0; k < exchanges && best_.cost > limits_.target; ++k) {
      std::optional<DrawnExchange> next = table_.draw(random);
      for (; !next && table_.hidden() > 0; next = table_.draw(random)) table_.show_oldest();
      if (!next) return {};
      time += std::min(next->time, kLongest);
      this->go(next->pair);
    }
    return time;
  }

  /// That it has been since it went on last.
  [[nodiscard]] const ExchangeResult& cheapest() const { return best_; }

  [[nodiscard]] double unit() const { return unit_; }

  /// Of an exchange, up or down; none if there is no exchange.
  [[nodiscard]] std::optional<double> mean_change() const {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < table_.ranks(); ++i) {
      for (std::size_t j = i + 1; j < table_.facilities(); ++j) {
        const auto change = static_cast<double>(table_.change(i, j));
        if (!std::isfinite(change)) continue;
        sum += std::abs(change);
        ++count;
      }
    }
    if (count == 0) return {};
    return std::max(unit_, unit_ * sum / static_cast<double>(count));
  }

 private:
  static constexpr std::size_t kMemory = 3;   ///< exchanges that are hidden
  static constexpr double kLongest = 0x1p11;  ///< time to the next exchange

  using Base = ExchangeSearch<Table>;
  using Base::best_, Base::limits_, Base::table_, Base::unit_;
};

}  // namespace topowise
