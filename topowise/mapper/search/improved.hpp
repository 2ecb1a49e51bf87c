// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// What every local search returns.
struct Improved {
  Mapping mapping;
  double cost = 0;
};

}  // namespace topowise
