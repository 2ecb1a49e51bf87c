// SPDX-License-Identifier: BSD-3-Clause
// A population of mappings, each the result of a tabu search, and children of two of them.
#pragma once

#include <topowise/mapper/robust_tabu.hpp>

namespace topowise {

struct MemeticLimits {
  std::size_t iterations = 0;  ///< of all tabu searches together
  double target = 0;           ///< stop at this cost: it is known to be optimal
  std::uint64_t seed = 1;
  int threads = 1;  ///< the result does not depend on it
};

/// What a step of a tabu search looks at: the pairs that it could exchange.
[[nodiscard]] double pairs_of_step(const Instance& instance);

/// Improves `start`, never returns anything worse. With few iterations it is one tabu search.
[[nodiscard]] TabuResult memetic_tabu(const Instance& instance, SlotOfRank start, const MemeticLimits& limits,
                                      const Deadline& deadline);

}  // namespace topowise
