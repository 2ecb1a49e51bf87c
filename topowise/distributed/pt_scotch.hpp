// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <topowise/base/shared_library.hpp>
#include <topowise/distributed/guest_graph.hpp>
#include <topowise/distributed/machine_parts.hpp>

namespace topowise::distributed {

/// Opens PT-Scotch and with it the MPI library that it was built on: symbols of MPI are looked up through it, so both
/// are always of one build. Throws Error(not_available).
[[nodiscard]] SharedLibrary open_pt_scotch();

/// Collective. A part for every own vertex. Parts may be overfull by a little.
[[nodiscard]] std::vector<int> partition_by_pt_scotch(const SharedLibrary& library, const Team& team,
                                                      const GuestGraph& graph, const MachineParts& parts,
                                                      std::uint64_t seed);

}  // namespace topowise::distributed
