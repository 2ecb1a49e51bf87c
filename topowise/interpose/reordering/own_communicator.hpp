// SPDX-License-Identifier: BSD-3-Clause
// A communicator of all processes of the job for messages of our own. The program's communicators may have receives
// from MPI_ANY_SOURCE pending.
#pragma once

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose::reordering {

// Opening and closing it is collective over the job. It is opened in the first call that needs it and in which all
// processes of MPI_COMM_WORLD take part, as others may run without this library; it is closed before MPI_Finalize.
void open_own_communicator(const Mpi& m) noexcept;
void close_own_communicator() noexcept;
[[nodiscard]] bool has_own_communicator() noexcept;

/// The communicator, which must be open. Its ranks are those of the job as the launcher counts.
[[nodiscard]] Word own_communicator(const Mpi& m) noexcept;

}  // namespace topowise::interpose::reordering
