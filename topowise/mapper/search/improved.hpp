// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// What a local search returns, whichever it is.
struct Improved {
  Mapping mapping;
  double cost = 0;
};

}  // namespace topowise
