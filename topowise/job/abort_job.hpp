// SPDX-License-Identifier: BSD-3-Clause
// How a rank ends before MPI_Init.
#pragma once

#include <topowise/base/error.hpp>
#include <topowise/job/process.hpp>

namespace topowise::job {

/// Ends the other processes of the job, under launchers that do not do so when one process fails before MPI_Init: the
/// others would wait there for ever. Tells hydra (MPICH, Intel MPI, MVAPICH) the exit status. Cancels the step of
/// Slurm's srun, where --kill-on-bad-exit would do that but is seldom the default. Does nothing under other launchers.
void abort_job(ExitStatus status = ExitStatus::check_failed) noexcept;

/// Whether hydra itself started this process. False in a script that hydra started, which may go on after an error.
[[nodiscard]] bool is_child_of_hydra();

/// Waits until the launcher has passed on the output: a launcher that ends a job drops the rest.
void let_output_pass() noexcept;
/// Waits, in a rank that fails like all others, until the first rank has reported the error. A launcher ends the job
/// when any rank ends, which could be before the first one has spoken.
void let_first_rank_speak() noexcept;
/// Called before a rank reports an error that the others may have as well. The first rank reports at once, and then the
/// launcher ends the job. A rank that still lives after that has an error of its own; the first rank of its node
/// reports it before the others of the node do.
void wait_for_turn(const Process& process) noexcept;

}  // namespace topowise::job
