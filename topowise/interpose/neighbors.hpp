// SPDX-License-Identifier: BSD-3-Clause
// Whom a neighbourhood collective sends to.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/interpose/communicator.hpp>

namespace topowise::interpose {

/// World ranks in the order of MPI's send buffers: for a Cartesian communicator -1 and +1 in each dimension (kNobody at
/// an open end), for a graph its edges, for a distributed graph its destinations. Empty if the communicator has no
/// topology.
[[nodiscard]] std::vector<std::int32_t> neighbors_of(const Mpi& m, const Communicator& communicator);

}  // namespace topowise::interpose
