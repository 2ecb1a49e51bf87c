// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <topowise/base/shared_library.hpp>
#include <topowise/mapper/distributed/guest_graph.hpp>
#include <topowise/mapper/distributed/machine_parts.hpp>

namespace topowise::distributed {

/// Collective. A part for every own vertex. Parts may be overfull by a little.
[[nodiscard]] std::vector<int> partition_by_pt_scotch(const SharedLibrary& library, const Team& team,
                                                      const GuestGraph& graph, const MachineParts& parts,
                                                      std::uint64_t seed);

}  // namespace topowise::distributed
