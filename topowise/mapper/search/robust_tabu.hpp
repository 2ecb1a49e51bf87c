// SPDX-License-Identifier: BSD-3-Clause
// Robust tabu search on a quadratic assignment problem.
#pragma once

#include <topowise/mapper/exchange/exchange_search.hpp>
#include <topowise/mapper/problem/deadline.hpp>

namespace topowise {

/// Improves `start`, never returns anything worse. Memory: ranks x slots.
[[nodiscard]] ExchangeResult robust_tabu(const Instance& instance, const SlotOfRank& start,
                                         const ExchangeLimits& limits, const Deadline& deadline);

}  // namespace topowise
