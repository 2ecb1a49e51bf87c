// SPDX-License-Identifier: BSD-3-Clause
// A communicator of all processes of the job for messages of our own: on the program's, it may have receives from
// anybody pending.
#pragma once

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose::reordering {

// Collective over the job: opened in the first call that needs it and that all processes of MPI_COMM_WORLD take part
// in, as others may run without this library; closed before MPI_Finalize.
void open_own_communicator(const Mpi& m) noexcept;
void close_own_communicator() noexcept;
[[nodiscard]] bool has_own_communicator() noexcept;

/// If it is there. Its ranks are those of the job as the launcher counts.
[[nodiscard]] Word own_communicator(const Mpi& m) noexcept;

}  // namespace topowise::interpose::reordering
