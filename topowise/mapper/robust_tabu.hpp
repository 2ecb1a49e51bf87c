// SPDX-License-Identifier: BSD-3-Clause
// Robust tabu search on a quadratic assignment problem.
#pragma once

#include <cstdint>

#include <topowise/mapper/deadline.hpp>
#include <topowise/mapper/instance.hpp>

namespace topowise {

struct TabuLimits {
  std::size_t iterations = 0;  ///< the same for the same problem: what makes the result repeatable
  double target = 0;           ///< stop at this cost: it is known to be optimal
  std::uint64_t seed = 1;
};

struct TabuResult {
  SlotOfRank slot_of_rank;
  double cost = 0;
};

/// Improves `start`, never returns anything worse. Memory: ranks x slots.
[[nodiscard]] TabuResult robust_tabu(const Instance& instance, SlotOfRank start, const TabuLimits& limits,
                                     const Deadline& deadline);

}  // namespace topowise
