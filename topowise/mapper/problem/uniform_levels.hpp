// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// A level of a uniform hierarchy: places `reach` numbers apart are the nearest that meet there.
struct UniformLevel {
  std::size_t reach = 1;  ///< places of each group below
  std::size_t wider = 1;  ///< places of each group of the level
  double distance = 0;
};

/// The levels, from the lowest up; empty if the machine is no uniform hierarchy of equally large places that may all be
/// used. Needs no look at pairs of places, whose number is too large on such machines. A cluster of equally large nodes
/// with more places than Topology::kLargestDense counts as nodes, nodes on one set of switches, and the whole; places
/// of a node, and nodes, are at least `distance` apart.
[[nodiscard]] std::vector<UniformLevel> uniform_levels(const MapProblem& problem,
                                                       std::span<const PlaceCapacity> places);

/// The same where arities say the distance of every pair, and no level is wider than one above it; else empty.
[[nodiscard]] std::vector<UniformLevel> nested_levels(const MapProblem& problem, std::span<const PlaceCapacity> places);

}  // namespace topowise
