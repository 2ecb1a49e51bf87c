// SPDX-License-Identifier: BSD-3-Clause
// How much a search of exchanges may do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace topowise {

struct SearchLimits {
  std::size_t iterations = 0;  ///< exchanges, of all threads together
  double target = 0;           ///< stop at this cost: it is known to be optimal
  std::uint64_t seed = 1;
  int threads = 1;  ///< the result does not depend on it
};

}  // namespace topowise
