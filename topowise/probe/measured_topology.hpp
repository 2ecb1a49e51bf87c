// SPDX-License-Identifier: BSD-3-Clause
// A machine with what was measured on it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <topowise/graph/path_class.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/probe/calibrate.hpp>
#include <topowise/probe/pair_rounds.hpp>
#include <topowise/probe/samples.hpp>

namespace topowise::probe {

// Levels of a machine of which nothing is known but what was measured.

struct MeasuredClasses {
  std::map<PairOfPlaces, PathClass> of_pair;  ///< the class of each measured pair
  PathClass farthest_near, farthest_far;      ///< for pairs that were not measured
};

/// `is_near`: pairs that share a compute node; they are never farther than those that do not.
[[nodiscard]] MeasuredClasses measured_classes(const Samples& samples,
                                               const std::function<bool(const PairOfPlaces&)>& is_near);

struct Origin {
  std::string source;  ///< "measured:probe ...", the provenance of the matrices
  std::string date;    ///< ISO 8601, UTC
};

/// The same machine with pair matrices of latency (smallest size, seconds one way) and bandwidth (largest size, one
/// direction), their statistics and the affinities of metrics.hpp. A pair that was not measured has the mean of its
/// level and a count of 0; 0 if nothing of its level was measured. What a calibration knows replaces what the machine
/// states.
[[nodiscard]] Topology with_measurements(const Topology& machine, const Samples& samples, const Origin& origin,
                                         const Calibration& calibration = {});

/// The same machine with what a calibration knows and nothing else.
[[nodiscard]] Topology with_calibration(const Topology& machine, const Calibration& calibration,
                                        const Provenance& source);

/// What a reader of the numbers should know: samples left out, pairs far from the others of their level, directions
/// that differ.
[[nodiscard]] std::vector<std::string> findings(const Topology& machine, const Samples& samples);

}  // namespace topowise::probe
