// SPDX-License-Identifier: BSD-3-Clause
// Whether small whole numbers will do: float is twice as fast as double, and exact where they are.
#pragma once

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// Flows and costs in units in which they are small whole numbers, if there are such units.
struct WholeUnits {
  double flow = 1;
  double cost = 1;
  /// Every number that a table of exchanges can hold is a whole number below 2^24, so that float is exact; and flows
  /// and costs are below 2^14, so that differences of flows of both directions fit into 16 bits.
  bool fits_float = false;
};
[[nodiscard]] WholeUnits whole_units(const Instance& instance);

}  // namespace topowise
