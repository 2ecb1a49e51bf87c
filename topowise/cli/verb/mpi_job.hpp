// SPDX-License-Identifier: BSD-3-Clause
// A verb whose work is done by all processes of an MPI job.
#pragma once

#include <functional>

#include <topowise/base/shared_library.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/job/process.hpp>
#include <topowise/mpi/mpi_team.hpp>

namespace topowise::cli {

struct MpiJob {
  /// Throws what can be refused without MPI.
  std::function<void()> check;
  /// An MPI library, or one that brings it along. Throws Error(not_available).
  std::function<SharedLibrary()> open;
  /// The error to throw if the library sees another number of processes than the launcher has started.
  std::function<Error(const job::Process& job, int seen)> wrong_size;
  std::function<void(const mpi::MpiTeam& team, const SharedLibrary& library)> work;
};

/// Reports an error that every process sees by itself: the first process of each host prints it.
[[nodiscard]] ExitStatus refuse_in_job(const Error& error, const Terminal& terminal);

/// Every process returns the same status; one of them reports an error. A failure in a collective call or between two
/// processes cannot be sent to the others: the process that sees it prints it and ends the job.
[[nodiscard]] ExitStatus run_in_job(const MpiJob& job, const Terminal& terminal);

}  // namespace topowise::cli
