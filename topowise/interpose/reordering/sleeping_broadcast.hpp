// SPDX-License-Identifier: BSD-3-Clause
// Waiting while one process computes for all. MPI waits by asking over and over, which takes the processor from the
// one that computes wherever ranks share cores; here the others sleep between their questions.
#pragma once

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose::reordering {

/// MPI_Bcast of `bytes` bytes from `root` of `comm`, asleep most of the time. Returns what MPI does.
[[nodiscard]] int sleeping_broadcast(const Mpi& m, void* buffer, int bytes, int root, Word comm);

}  // namespace topowise::interpose::reordering
