// SPDX-License-Identifier: BSD-3-Clause
// Repetitions of one measurement in a few numbers.
#pragma once

#include <cstddef>
#include <span>

namespace topowise::probe {

struct Figure {
  double median = 0.0;
  double mean = 0.0;
  double spread = 0.0;    ///< standard deviation of what was kept
  std::size_t count = 0;  ///< samples kept
  std::size_t outliers =
      0;  ///< samples left out: three interquartile ranges beyond the quartiles (Tukey), at least 5 %
};

/// All zero without samples. Fewer than five are all kept.
[[nodiscard]] Figure summarise(std::span<const double> samples);

}  // namespace topowise::probe
