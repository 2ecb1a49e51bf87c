// SPDX-License-Identifier: BSD-3-Clause
// A population of mappings, each the result of a tabu search, and children of two of them.
#pragma once

#include <topowise/mapper/exchange/exchange_search.hpp>
#include <topowise/mapper/problem/deadline.hpp>

namespace topowise {

/// What a step of a tabu search looks at: the pairs that it could exchange.
[[nodiscard]] double pairs_of_step(const Instance& instance);

/// Improves `start`; never returns anything worse. More iterations never give anything worse either. With few
/// iterations it is one tabu search.
[[nodiscard]] ExchangeResult memetic_tabu(const Instance& instance, const SlotOfRank& start,
                                          const ExchangeLimits& limits, const Deadline& deadline);

}  // namespace topowise
