// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/distributed/guest_graph.hpp>
#include <topowise/distributed/machine_parts.hpp>
#include <topowise/mapper/problem/deadline.hpp>

namespace topowise::distributed {

/// Collective. Improves the partition along its boundaries; returns by how much its cost (bytes x distance of the
/// parts) fell. Capacities that were kept are kept.
double refine_band(const Team& team, const GuestGraph& graph, const MachineParts& parts, std::vector<int>& part_of,
                   std::uint64_t seed, const Deadline& deadline);

}  // namespace topowise::distributed
