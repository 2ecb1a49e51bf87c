// SPDX-License-Identifier: BSD-3-Clause
// What verbs that measure with the ranks of an MPI job have in common: the MPI library of the launcher, the hosts of
// the ranks, and the GPU of each rank.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/mpi_job.hpp>
#include <topowise/device/driver.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/probe/job_rank.hpp>

namespace topowise::cli {

/// Keeps the drivers of this process to the GPUs of its job, and says so. Must be called before they are opened.
void note_share(const Terminal& terminal);

/// True for a process that a launcher has started together with others.
[[nodiscard]] bool is_in_job();

/// Runs `work` with the launcher's own MPI library. `check` throws what can be refused without MPI. Every process
/// returns the same status.
[[nodiscard]] ExitStatus measure_as_job(const std::function<void()>& check,
                                        const std::function<void(const mpi::MpiTeam&)>& work, const Terminal& terminal);

/// The GPU that a rank measures from.
struct OwnGpu {
  device::Driver driver;
  int ordinal = 0;
};

/// The hosts of all ranks, and the GPU of this rank if GPUs are measured.
struct GatheredRanks {
  std::vector<probe::JobRank> ranks;
  probe::HostNumbers hosts;
  std::optional<OwnGpu> gpu;
};

// These are collective.
[[nodiscard]] GatheredRanks gather(const mpi::MpiTeam& team);
/// Ranks of one host take its GPUs in order; a rank that sees only one GPU was given it by the launcher.
void take_gpus(const mpi::MpiTeam& team, GatheredRanks& gathered);
/// Process 0 reads the machine, and every process gets it.
[[nodiscard]] Topology read_together(const mpi::MpiTeam& team, const std::string& source);

/// Puts the rank and its host into the errors of `work`, which concern only that rank's machine.
template <class Work>
void in_the_name_of(int rank, const std::string& host, const Work& work) {
  try {
    work();
  } catch (const mpi::AgreedError&) {
    throw;  // all processes know this error, and process 0 reports it
  } catch (const Error& error) {
    std::vector<Diagnostic> all = error.diagnostics();
    for (Diagnostic& diagnostic : all) diagnostic.where = fmt::format("rank {} on {}", rank, host);
    throw Error(error.status(), std::move(all));
  }
}

}  // namespace topowise::cli
