// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/exchange/facilities.hpp>

namespace topowise {

/// The exchange that is accepted next, where all are tried over and over with probability 2^(rate * change).
struct DrawnExchange {
  FacilityPair pair;
  double time = 0;  ///< until then, or what it is on the average; in one unit of time each exchange is tried once
};

}  // namespace topowise
