// SPDX-License-Identifier: BSD-3-Clause
// Measures pair by pair, several at once where they do not disturb each other.
#pragma once

#include <functional>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/probe/line.hpp>
#include <topowise/probe/pair_rounds.hpp>
#include <topowise/probe/samples.hpp>

namespace topowise::probe {

struct Plan {
  std::vector<std::size_t> sizes;  ///< bytes, ascending
  std::vector<PairOfPlaces> pairs;
  int repetitions = 20;
  int warm_up = 3;  ///< rounds that are not counted, for each size
};

/// All sizes of one pair, message by message.
[[nodiscard]] PairSamples measure_pair(Line& line, const PairOfPlaces& pair, const Plan& plan);

/// Pairs of the result in the order of the plan. `progress` receives the pairs done, from the calling thread. Throws
/// what a line throws: the first error of a round, after all of it has ended.
[[nodiscard]] Samples measure(const Topology& machine, Memory& memory, const Plan& plan,
                              const std::function<void(std::size_t done)>& progress);

}  // namespace topowise::probe
