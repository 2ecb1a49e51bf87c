// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/distributed/guest_graph.hpp>
#include <topowise/distributed/machine_parts.hpp>

namespace topowise::distributed {

/// Collective. Exchanges whole parts of the same capacity, so that those that talk much are near each other.
void arrange_parts(const Team& team, const GuestGraph& graph, const MachineParts& parts, std::vector<int>& part_of,
                   std::uint64_t seed);

}  // namespace topowise::distributed
