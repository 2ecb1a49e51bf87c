// SPDX-License-Identifier: BSD-3-Clause
// Search by exchanges: from a mapping to another in which two facilities have exchanged their slots (facilities.hpp),
// again and again, keeping the best. Three algorithms have this interface:
//   robust_tabu    one tabu search over a table of what every exchange would change (exchange_table.hpp)
//   SlotChoice     tabu search where all ranks that talk are alike, so that only their set of slots matters
//   memetic_tabu   a population of either, for long searches; the one that others call
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

struct ExchangeLimits {
  std::size_t iterations = 0;  ///< exchanges, of all threads together; the same for the same problem: repeatable
  double target = 0;           ///< stop at this cost: it is known to be optimal
  std::uint64_t seed = 1;
  int threads = 1;                         ///< of searches that can use several; the result does not depend on it
  std::function<void(double cost)> found;  ///< called by long searches when they have a better one; may be empty
};

struct ExchangeResult {
  SlotOfRank slot_of_rank;
  double cost = 0;
};

}  // namespace topowise
