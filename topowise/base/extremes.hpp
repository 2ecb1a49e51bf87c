// SPDX-License-Identifier: BSD-3-Clause
// The least and the greatest of a series of numbers that are 0 or more.
#pragma once

#include <algorithm>
#include <limits>

namespace topowise {

struct Extremes {
  double least = std::numeric_limits<double>::infinity();  ///< above `most` if there was no number
  double most = 0;

  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

}  // namespace topowise
