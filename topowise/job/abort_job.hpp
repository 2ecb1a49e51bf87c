// SPDX-License-Identifier: BSD-3-Clause
// A rank that ends before MPI_Init.
#pragma once

#include <topowise/base/error.hpp>

namespace topowise::job {

/// Ends the other processes of the job under launchers that do not when one fails before MPI_Init, where the others
/// would wait for ever: tells hydra (MPICH, Intel MPI, MVAPICH) the exit status, and cancels the step of Slurm's srun,
/// which has --kill-on-bad-exit for that, but seldom by default. Does nothing under other launchers.
void abort_job(ExitStatus status = ExitStatus::check_failed) noexcept;

/// A launcher that ends a job drops what it has not passed on of the output by then: gives it the time to.
void let_output_pass() noexcept;
/// For a rank that fails as all others do and leaves it to the first one to say so: a launcher ends the job when any of
/// them ends, and the first one may not have spoken by then.
void let_first_rank_speak() noexcept;

}  // namespace topowise::job
