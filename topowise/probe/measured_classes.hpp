// SPDX-License-Identifier: BSD-3-Clause
// Levels of a machine of which nothing is known but what was measured.
#pragma once

#include <functional>
#include <map>

#include <topowise/graph/path_class.hpp>
#include <topowise/probe/rounds.hpp>
#include <topowise/probe/samples.hpp>

namespace topowise::probe {

struct MeasuredClasses {
  std::map<PairOfPlaces, PathClass> of_pair;  ///< the class of each measured pair
  PathClass farthest_near, farthest_far;      ///< for pairs that were not measured
};

/// `is_near`: pairs that share a compute node; they are never farther than those that do not.
[[nodiscard]] MeasuredClasses measured_classes(const Samples& samples,
                                               const std::function<bool(const PairOfPlaces&)>& is_near);

}  // namespace topowise::probe
