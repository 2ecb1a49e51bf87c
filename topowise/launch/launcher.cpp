// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/launcher.hpp>

#include <algorithm>
#include <array>
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

}  // namespace topowise
