// SPDX-License-Identifier: BSD-3-Clause
// What was measured between pairs of places, before anything is concluded from it.
#pragma once

#include <cstddef>
#include <vector>

#include <topowise/base/id.hpp>

namespace topowise::probe {

/// Seconds of the repetitions of one message size.
struct SizeSamples {
  std::vector<double> forth;  ///< one message from the first place to the second
  std::vector<double> back;   ///< one message from the second to the first
  std::vector<double> both;   ///< one message each way at the same time
};

/// Two different places and what was measured between them, by size.
struct PairSamples {
  Place first;
  Place second;
  std::vector<SizeSamples> by_size;
};

struct Samples {
  std::vector<std::size_t> sizes;  ///< bytes, ascending
  std::vector<PairSamples> pairs;
};

}  // namespace topowise::probe
