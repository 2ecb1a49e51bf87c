// SPDX-License-Identifier: BSD-3-Clause
// Which groups of places may change places without any prediction noticing.
#pragma once

#include <span>
#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Two groups of usable places. If whatever stands on `first[i]` and on `second[i]` changes places, for all i at once,
/// neither the predicted time of any traffic changes nor its hop-bytes.
struct AlikeGroups {
  std::vector<Place> first;
  std::vector<Place> second;
};

/// All such pairs among the GPUs of a board, the boards of a switch, the switches of a socket and so on. It looks at
/// all routes for each pair of groups: for small machines.
[[nodiscard]] std::vector<AlikeGroups> alike_groups(const MapProblem& problem);

}  // namespace topowise
