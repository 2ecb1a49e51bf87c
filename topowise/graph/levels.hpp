// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/graph/topology_parts.hpp>

namespace topowise {

/// Finds the levels of a machine whose routes are known: the classes of all pairs of places, nearest first.
///
/// The order follows from containment first. What stays inside a compute node comes before what leaves it; a direct
/// bond (NVLink, xGMI, C2C) leaves nothing. Classes of one kind of source (the PCI and host tree, a network, a
/// hierarchy, measurements) have an order of their own: fewer boundaries crossed, fewer hops, higher rates. Where a
/// machine has classes of several kinds, the kinds are merged by the rates of their paths; without rates, as PathKind
/// lists them.
///
/// Throws Error(bad_input) on too many places for a machine that is neither a tree nor a cluster. Takes O(places^2) for
/// up to Topology::kLargestDense places, else O(vertices).
void find_levels(TopologyParts& parts);

}  // namespace topowise
