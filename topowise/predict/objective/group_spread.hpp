// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <cstdint>
#include <string>
#include <topowise/graph/group_spread.hpp>
#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

// The parts that a machine's places fall into: NVLink domains, compute nodes, switches, groups of a dragonfly.

/// One way in which the places of a machine fall into parts.
struct PlaceParts {
  std::string part;                     ///< one of them, in words: "node"
  std::vector<std::uint32_t> of_place;  ///< the number of each place's part
  std::size_t count = 0;
};

/// Every way that divides the places, and in which some part has several of them, the smallest parts first:
/// - NVLink domains: GPUs that NVLink, xGMI or another vendor's links join, directly or through switches;
/// - compute nodes, by what the vertices state;
/// - switches: places between which there is one network switch at most; and for each wider class of a network the
///   places that are nearer than the class above;
/// - the levels of a uniform hierarchy; routers and groups of a dragonfly.
[[nodiscard]] std::vector<PlaceParts> place_parts(const Topology& topology);

/// How many parts of the machine each kind of Traffic::groups() touches. Empty where no groups are known. Takes
/// O(places + members of all groups) for each kind of part.
[[nodiscard]] std::vector<GroupSpread> group_spread(const Traffic& traffic, const Topology& topology,
                                                    const Mapping& mapping);

}  // namespace topowise
