// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/job.hpp>

#include <array>

#include <topowise/base/text.hpp>

namespace topowise::cli {
namespace {

struct Launcher {
  const char* name;
  const char* rank;
  const char* local_rank;
  const char* size;
};

/// The innermost launcher first: mpirun inside a Slurm job sets its own variables beside Slurm's.
constexpr std::array<Launcher, 7> kLaunchers{{
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE"},
    {"hydra", "PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},
    {"PALS", "PALS_RANKID", "PALS_LOCAL_RANKID", "PALS_SIZE"},
    {"Flux", "FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID", "FLUX_JOB_SIZE"},
    {"Slurm", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"},
    {"PMIx", "PMIX_RANK", "PMIX_LOCAL_RANK", "PMIX_SIZE"},
}};

std::optional<std::size_t> number(const char* text) {
  const std::optional<std::int64_t> value = text == nullptr ? std::nullopt : parse_integer(text);
  if (!value || *value < 0) return std::nullopt;
  return static_cast<std::size_t>(*value);
}

}  // namespace

JobProcess job_process(const std::function<const char*(const char*)>& environment) {
  for (const Launcher& launcher : kLaunchers) {
    const std::optional<std::size_t> rank = number(environment(launcher.rank));
    if (!rank) continue;
    JobProcess process{launcher.name, *rank, number(environment(launcher.local_rank)),
                       number(environment(launcher.size))};
    // srun with PMI or PMIx: the rank may come from one, the local rank from the other.
    for (const Launcher& other : kLaunchers) {
      if (!process.local_rank) process.local_rank = number(environment(other.local_rank));
    }
    return process;
  }
  return {{}, 0, 0, 1};
}

}  // namespace topowise::cli
