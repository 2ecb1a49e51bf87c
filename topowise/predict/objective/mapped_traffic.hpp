// SPDX-License-Identifier: BSD-3-Clause
// Traffic seen from the machine: which place sends how much to which.
#pragma once

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// Throws Error(bad_input) if traffic and mapping differ in their number of ranks, or a rank is on no place.
void check_mapped(const Traffic& traffic, const Topology& topology, const Mapping& mapping);

/// Calls `visit(Bytes, Place from, Place to)` for every entry with bytes between two different ranks; the two may share
/// a place.
template <class Visit>
void for_each_mapped(const Traffic& traffic, const Topology& topology, const Mapping& mapping, Visit visit) {
  check_mapped(traffic, topology, mapping);
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.source != entry.destination && entry.bytes.value() > 0)
      visit(entry.bytes, mapping[entry.source], mapping[entry.destination]);
  }
}

}  // namespace topowise
