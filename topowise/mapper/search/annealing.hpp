// SPDX-License-Identifier: BSD-3-Clause
// Mappings that wander at a constant temperature, for instances without structure.
#pragma once

#include <topowise/mapper/exchange/exchange_search.hpp>
#include <topowise/mapper/problem/deadline.hpp>

namespace topowise {

/// Whether neither the traffic nor the costs resemble distances, as matrices of random numbers do not: good mappings
/// then have nothing in common, and there is no way from one to a better one but through much worse ones. Also that
/// there are not too many slots.
[[nodiscard]] bool suits_thermal_walk(const Instance& instance);

/// How many exchanges each walk makes in a second, deliberately below what a current core does.
[[nodiscard]] double pace_of_thermal_walk(const Instance& instance);

/// Never returns anything worse than `start`. Memory: for each of two walks two tables of ranks x slots and 2000
/// mappings.
[[nodiscard]] ExchangeResult thermal_walk(const Instance& instance, const SlotOfRank& start,
                                          const ExchangeLimits& limits, const Deadline& deadline);

}  // namespace topowise
