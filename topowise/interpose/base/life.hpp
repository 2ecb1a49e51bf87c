// SPDX-License-Identifier: BSD-3-Clause
// The life of MPI in this process, as the wrappers report it: kept in models() and passed on to the features. Each may
// be reported twice, by the Fortran and by the C form of one call.
#pragma once

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose {

void about_to_begin() noexcept;
void initialized() noexcept;
void session_opened(Word session) noexcept;
void session_closing(Word session) noexcept;
void finalizing() noexcept;
void aborting() noexcept;
void profiling_control(int level) noexcept;
/// This library has reordered the ranks of a communicator that this process is in.
void ranks_reordered() noexcept;

/// Hears of MPI_Finalize even where no wrapper of ours is called, for a feature that must know of the end.
void watch_finalize(const Mpi& m) noexcept;

}  // namespace topowise::interpose
