// SPDX-License-Identifier: BSD-3-Clause
// A rank that ends before MPI_Init.
#pragma once

namespace topowise::cli {

/// Tells hydra (MPICH, Intel MPI, MVAPICH) that the job is over: unlike other launchers it does not end the others when
/// a process fails before MPI_Init, and they would wait there for ever. Does nothing under other launchers.
void abort_job() noexcept;

}  // namespace topowise::cli
