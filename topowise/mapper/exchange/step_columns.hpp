// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include <topowise/mapper/exchange/exchange_step.hpp>
#include <topowise/mapper/exchange/simd.hpp>

namespace topowise {

/// What a step takes from as many columns as fit into a vector; both ways where y is not null. For kernels.
template <class Number, std::size_t kBytes, bool kBothWays>
struct StepColumns {
  using Vector = typename Wide<Number, kBytes>::Vector;

  [[gnu::always_inline]] StepColumns(const ExchangeStep<Number>& of, std::size_t j) : step(of) {
    load(x, step.x + j);
    load(d, step.d + j);
    if constexpr (kBothWays) {
      load(y, step.y + j);
      load(e, step.e + j);
    }
  }
  /// The step of row i in these columns. In this order numbers of the row are operands from memory.
  [[gnu::always_inline]] void add_to(Vector& entries, std::size_t i) const {
    if constexpr (kBothWays) {
      entries += (x - step.x[i]) * (d - step.d[i]) + (y - step.y[i]) * (e - step.e[i]);
    } else {
      entries += (x - step.x[i]) * (d - step.d[i]);
    }
  }

  ExchangeStep<Number> step;
  Vector x, d, y, e;
};

}  // namespace topowise
