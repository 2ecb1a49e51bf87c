// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/launcher.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/launch/launchers.hpp>

namespace topowise {
namespace {

constexpr std::array<Launcher, 14> kLaunchers{{
    {"cray-rank-order", "Cray MPICH: the order of the ranks over the nodes' slots",
     "cp FILE MPICH_RANK_ORDER; MPICH_RANK_REORDER_METHOD=3 srun ./app (or mpiexec of PALS)", cray_rank_order},
    {"deepspeed-hostfile", "DeepSpeed: the hosts, that of rank 0 first, and their number of ranks",
     "deepspeed --hostfile FILE --no_python --no_local_rank topowise run --mapping MAPPING -- python train.py",
     deepspeed_hostfile},
    {"flux-taskmap", "Flux: the option that gives every task its node, in the order of the nodes of the job",
     "flux run -N NODES -n N $(cat FILE) ./app", flux_taskmap},
    {"gpu-env", "any launcher: line r + 1 holds the GPU variables of rank r",
     "env $(sed -n \"$((rank + 1))p\" FILE) ./app", gpu_env},
    {"hydra-rankmap", "MPICH 4.1 and later (hydra): hosts, and the host of every rank",
     "mpiexec $(cat FILE) -n N ./app", hydra_rankmap},
    {"mpich-hostfile", "MPICH, Intel MPI (hydra): a host for every rank", "mpiexec -f FILE -n N ./app", mpich_hostfile},
    {"nccl-topo", "NCCL, RCCL: the topology of a node that is used, for containers and virtual machines that hide it",
     "NCCL_TOPO_FILE=FILE torchrun ... (or any launcher)", nullptr, nccl_topology},
    {"openmpi-rankfile", "Open MPI: host and processors of every rank",
     "mpirun --rankfile FILE ./app; Open MPI 5: mpirun --map-by rankfile:file=FILE --bind-to :overload-allowed ./app",
     openmpi_rankfile},
    {"pbs-nodefile", "PBS: the job's list of hosts, one for every rank",
     "PBS_NODEFILE=FILE mpiexec -n N ./app (MPICH: with -rmk pbs)", pbs_nodefile},
    {"rank-order",
     "programs that order their processes (PyTorch DeviceMesh, JAX Mesh): line r is the process of rank r",
     "torch.tensor(numpy.loadtxt(FILE, int)).reshape(...)", rank_order},
    {"shell", "any launcher: a script to start the program with, GPUs chosen by rank", "mpirun -n N sh FILE ./app",
     shell_wrapper},
    {"slurm-gpu-map", "Slurm: the option of srun that gives every local rank its GPU", "srun $(cat FILE) ./app",
     slurm_gpu_map},
    {"slurm-hostfile", "Slurm: a host for every rank", "SLURM_HOSTFILE=FILE srun --distribution=arbitrary -n N ./app",
     slurm_hostfile},
    {"torchrun", "torchrun: a script to start the program with, as the rank and with the GPU of the mapping",
     "torchrun --nnodes N --nproc-per-node K --no-python sh FILE python train.py", torchrun_wrapper},
}};

}  // namespace

std::span<const Launcher> launchers() {
  return kLaunchers;
}

const Launcher& launcher_named(std::string_view name) {
  const auto found = std::ranges::find(kLaunchers, name, &Launcher::name);
  if (found != kLaunchers.end()) return *found;
  const std::vector<std::string> names = names_of(kLaunchers);
  throw usage_error(unknown_name("launcher", name, names), "topowise help launchers");
}

std::string launcher_text(std::string_view name, const Placement& placement, const Topology& topology) {
  const Launcher& launcher = launcher_named(name);
  return launcher.text != nullptr ? launcher.text(placement) : launcher.machine_text(placement, topology);
}

void check_launcher(std::string_view name, const Topology& topology, std::span<const Place> usable) {
  // A place that is refused to one rank alone is refused in every mapping. Places of a node are alike where they are of
  // one kind and have the same processors.
  Placement trial = place_ranks(Mapping({usable.begin(), usable.end()}), topology);
  const std::vector<PlacedRank> ranks = std::exchange(trial.ranks, {});
  std::set<std::tuple<std::size_t, bool, std::string>> tried;
  std::optional<Error> first;
  for (const PlacedRank& rank : ranks) {
    if (!tried.emplace(rank.node, rank.gpu.has_value(), rank.cpus).second) continue;
    trial.ranks.assign(1, rank);
    trial.ranks.front().local_rank = 0;
    try {
      (void)launcher_text(name, trial, topology);
      return;
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (first) throw Error(*first);
}

}  // namespace topowise
