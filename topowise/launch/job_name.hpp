// SPDX-License-Identifier: BSD-3-Clause
// Which job this process belongs to: a name that all its processes find without talking to each other, and that another
// run in the same directory does not have. Also compiled into the preloaded library: uses the standard library only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace topowise {

/// The value of an environment variable, or null.
using LauncherVariables = std::function<const char*(const char*)>;

/// The name from what the launcher has set, the most specific source first:
///   TORCHELASTIC_RUN_ID + MASTER_ADDR, _PORT  torchrun, if its world is this one
///   MASTER_ADDR, _PORT beside CROSS_SIZE      DeepSpeed, if its world is this one
///   PMIX_NAMESPACE                            Open MPI's mpirun, prterun, srun --mpi=pmix
///   I_MPI_HYDRA_UUID + HYDRA_BSTRAP_PGID      Intel MPI
///   "--control-port H:P ... --pgid G" on the command line of a parent (hydra's proxy)   MPICH, MVAPICH
///   PALS_APID                                 mpiexec and aprun of Cray PALS
///   FLUX_JOB_ID                               flux run
///   SLURM_JOB_ID + SLURM_STEP_ID              srun --mpi=pmi2, cray_shasta
///   MASTER_ADDR, _PORT beside RANK            PyTorch's env://, if its world is this one
///   host name + process id + start time       if the world is this process alone: started without a launcher
///   "unnamed"                                 else: runs then differ by their start time only
/// `proxy_line` is the command line of the nearest hydra proxy, arguments separated by blanks; empty if there is none.
[[nodiscard]] std::string job_name(const LauncherVariables& environment, const std::string& proxy_line,
                                   const std::string& process_name, int world_size);

/// job_name() of this process.
[[nodiscard]] std::string job_name_here(int world_size);
/// Command line of the nearest parent process that is a hydra proxy, or an empty string.
[[nodiscard]] std::string hydra_proxy_line();

/// Field `number` (from 1, as in proc(5)) of /proc/PID/stat, or an empty string. `pid` may be "self".
[[nodiscard]] std::string process_stat_field(const std::string& pid, int number);

/// FNV-1a of the name and the world's size.
[[nodiscard]] std::uint64_t job_key(const std::string& name, int world_size);

}  // namespace topowise
