// SPDX-License-Identifier: BSD-3-Clause
// Waiting while one process computes for all. MPI waits by asking over and over, which takes the processor from the one
// that computes wherever ranks share cores. Here the other processes give their processors away between two questions,
// and later sleep.
#pragma once

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose::reordering {

/// MPI_Wait, asleep most of the time if it takes longer than 20 ms. Returns what MPI does.
[[nodiscard]] int sleeping_wait(const Mpi& m, Word& request);

}  // namespace topowise::interpose::reordering
