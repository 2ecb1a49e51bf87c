// SPDX-License-Identifier: BSD-3-Clause
// Whom a neighbourhood collective sends to.
#pragma once

#include <vector>

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose {

/// Ranks in the communicator `comm`, of which this process is `rank`, in the order of MPI's send buffers: for a
/// Cartesian communicator -1 and +1 in each dimension (MPI_PROC_NULL at an open end), for a graph its edges, for a
/// distributed graph its destinations. Empty if the communicator has no topology.
[[nodiscard]] std::vector<int> neighbors_of(const Mpi& m, Word comm, int rank);

}  // namespace topowise::interpose
