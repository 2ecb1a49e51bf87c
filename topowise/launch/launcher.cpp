// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/launcher.hpp>

#include <algorithm>
#include <array>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/launch/launchers.hpp>

namespace topowise {
namespace {

constexpr std::array<Launcher, 7> kLaunchers{{
    {"cray-rank-order", "Cray MPICH: the order of the ranks over the nodes' slots",
     "cp FILE MPICH_RANK_ORDER; MPICH_RANK_REORDER_METHOD=3 srun ./app", cray_rank_order},
    {"gpu-env", "any launcher: line r + 1 holds the GPU variables of rank r",
     "env $(sed -n \"$((rank + 1))p\" FILE) ./app", gpu_env},
    {"mpich-hostfile", "MPICH, Intel MPI (hydra): a host for every rank", "mpiexec -f FILE -n N ./app", mpich_hostfile},
    {"openmpi-rankfile", "Open MPI: host and processors of every rank",
     "mpirun --rankfile FILE ./app; Open MPI 5: mpirun --map-by rankfile:file=FILE --bind-to :overload-allowed ./app",
     openmpi_rankfile},
    {"shell", "any launcher: a script to start the program with, GPUs chosen by rank", "mpirun -n N sh FILE ./app",
     shell_wrapper},
    {"slurm-gpu-map", "Slurm: the option of srun that gives every local rank its GPU", "srun $(cat FILE) ./app",
     slurm_gpu_map},
    {"slurm-hostfile", "Slurm: a host for every rank", "SLURM_HOSTFILE=FILE srun --distribution=arbitrary -n N ./app",
     slurm_hostfile},
}};

}  // namespace

std::span<const Launcher> launchers() {
  return kLaunchers;
}

std::string launcher_text(std::string_view name, const Placement& placement) {
  const auto found = std::ranges::find(kLaunchers, name, &Launcher::name);
  if (found != kLaunchers.end()) return found->text(placement);
  std::vector<std::string> names;
  for (const Launcher& launcher : kLaunchers) names.emplace_back(launcher.name);
  throw usage_error(unknown_name("launcher", name, names), "topowise help launchers");
}

}  // namespace topowise
