// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/distributed/guest_graph.hpp>
#include <topowise/distributed/machine_parts.hpp>

namespace topowise::distributed {

/// Collective. Moves ranks out of overfull parts until none is; the parts together must hold all. `part_of`
/// has one element for each own vertex.
void keep_capacities(const Team& team, const GuestGraph& graph, const MachineParts& parts, std::vector<int>& part_of);

}  // namespace topowise::distributed
