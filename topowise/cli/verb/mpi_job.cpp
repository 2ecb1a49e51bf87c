// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/mpi_job.hpp>

#include <optional>

#include <topowise/cli/guarded.hpp>
#include <topowise/job/abort_job.hpp>

namespace topowise::cli {

ExitStatus refuse_in_job(const Error& error, const Terminal& terminal) {
  const job::Process process = job::this_process();
  if (process.local_rank.value_or(process.rank) == 0) {
    terminal.report(error);
    job::let_output_pass();
  } else {
    job::let_first_rank_speak();
  }
  return error.status();
}

ExitStatus run_in_job(const MpiJob& job, const Terminal& terminal) {
  const job::Process process = job::this_process();
  std::optional<SharedLibrary> library;
  std::optional<mpi::MpiTeam> team;
  try {
    job.check();
    library = job.open();
    team.emplace(*library);
    // Under a launcher of another MPI every process would be alone in its own job.
    if (process.size && *process.size != static_cast<std::size_t>(team->size()))
      throw job.wrong_size(process, team->size());
  } catch (const Error& error) {
    const ExitStatus status = refuse_in_job(error, terminal);
    if (!team) job::abort_job(status);
    return status;
  }
  std::optional<ExitStatus> agreed;
  const ExitStatus status = guarded(
      [&] {
        try {
          job.work(*team, *library);
        } catch (const mpi::AgreedError& error) {
          agreed = error.status();
          if (team->rank() == 0) throw;
        }
        return agreed.value_or(ExitStatus::done);
      },
      terminal);
  if (status == ExitStatus::done) return status;
  job::let_output_pass();  // needed for an agreed failure, too: no process ends before all of them are here
  if (!agreed) team->abort(status);
  return status;
}

}  // namespace topowise::cli
