// SPDX-License-Identifier: BSD-3-Clause
// What every mapping pays alike.
#pragma once

#include <optional>

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// hop-bytes of a problem = hop-bytes of `rest` + `cost`, under every mapping.
struct UniformPart {
  MapProblem rest;
  double cost = 0;
};

/// If each rank sends something to every other rank and the ranks fill all slots, an all-to-all of the least amount
/// costs the same under every mapping. Without it the traffic is sparse, or nothing at all. Nothing for other problems
/// and objectives, and for amounts that are no whole bytes. O(pairs that send).
[[nodiscard]] std::optional<UniformPart> split_uniform_part(const MapProblem& problem);

}  // namespace topowise
