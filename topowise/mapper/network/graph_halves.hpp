// SPDX-License-Identifier: BSD-3-Clause
// A graph cut into two parts whose sizes are given, where some vertices are drawn to one side from outside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>

namespace topowise {

/// The cost of a cut: the weight of the edges cut times `edge_cost`, and for every vertex on the high side its pull.
struct HalvingProblem {
  const multilevel::Graph* graph = nullptr;
  std::span<const double> pull;  ///< of each vertex: what the high side costs it more than the low side
  double edge_cost = 1;
  std::int64_t least_low = 0;  ///< loads that the low side may have
  std::int64_t most_low = 0;
};

/// The side of each vertex: 0 is low. Multilevel: heavy-edge matchings, greedy growing from `tries` starts,
/// Fiduccia-Mattheyses on each level. Loads keep to the limits where all are 1; else they come near.
[[nodiscard]] std::vector<std::uint8_t> halve(const HalvingProblem& problem, int tries, Random& random);

}  // namespace topowise
