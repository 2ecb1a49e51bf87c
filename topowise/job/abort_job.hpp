// SPDX-License-Identifier: BSD-3-Clause
// How a rank ends before MPI_Init.
#pragma once

#include <topowise/base/error.hpp>

namespace topowise::job {

/// Ends the other processes of the job, under launchers that do not do so when one process fails before MPI_Init: the
/// others would wait there for ever. Tells hydra (MPICH, Intel MPI, MVAPICH) the exit status. Cancels the step of
/// Slurm's srun, where --kill-on-bad-exit would do that but is seldom the default. Does nothing under other launchers.
void abort_job(ExitStatus status = ExitStatus::check_failed) noexcept;

/// Waits until the launcher has passed on the output: a launcher that ends a job drops the rest.
void let_output_pass() noexcept;
/// Waits, in a rank that fails like all others, until the first rank has told the error. A launcher ends the job when
/// any rank ends, which could be before the first one has spoken.
void let_first_rank_speak() noexcept;

}  // namespace topowise::job
