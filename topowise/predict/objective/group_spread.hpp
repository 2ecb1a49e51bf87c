// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <topowise/graph/group_spread.hpp>
#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// How many parts of the machine each kind of Traffic::groups() touches. Empty where no groups are known. Takes
/// O(places + members of all groups) for each kind of part.
[[nodiscard]] std::vector<GroupSpread> group_spread(const Traffic& traffic, const Topology& topology,
                                                    const Mapping& mapping);

}  // namespace topowise
