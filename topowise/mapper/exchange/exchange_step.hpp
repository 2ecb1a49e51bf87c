// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace topowise {

/// What an exchange adds to the change of any that has nothing to do with its ends (exchange_table.hpp):
/// (x[i] - x[j]) (d[i] - d[j]) + (y[i] - y[j]) (e[i] - e[j]), without the second term where y is null. By facility.
template <class Number>
struct ExchangeStep {
  const Number* x = nullptr;
  const Number* d = nullptr;
  const Number* y = nullptr;
  const Number* e = nullptr;

  [[nodiscard]] Number operator()(std::size_t i, std::size_t j) const {
    const Number step = (x[i] - x[j]) * (d[i] - d[j]);
    return y == nullptr ? step : step + (y[i] - y[j]) * (e[i] - e[j]);
  }
};

}  // namespace topowise
