// SPDX-License-Identifier: BSD-3-Clause
// What each launcher's file offers to the table in launcher.cpp.
#pragma once

#include <string>

#include <topowise/launch/placement.hpp>

namespace topowise {

[[nodiscard]] std::string cray_rank_order(const Placement& placement);
[[nodiscard]] std::string deepspeed_hostfile(const Placement& placement);
[[nodiscard]] std::string flux_taskmap(const Placement& placement);
/// What the user must know about it; empty if nothing.
[[nodiscard]] std::string flux_taskmap_note(const Placement& placement);
[[nodiscard]] std::string gpu_env(const Placement& placement);
[[nodiscard]] std::string hydra_rankmap(const Placement& placement);
[[nodiscard]] std::string mpich_hostfile(const Placement& placement);
[[nodiscard]] std::string nccl_topology(const Placement& placement, const Topology& topology);
[[nodiscard]] std::string openmpi_rankfile(const Placement& placement);
[[nodiscard]] std::string pbs_nodefile(const Placement& placement);
[[nodiscard]] std::string rank_order(const Placement& placement);
[[nodiscard]] std::string shell_wrapper(const Placement& placement);
[[nodiscard]] std::string slurm_gpu_map(const Placement& placement);
/// What the user must know about it; empty if nothing.
[[nodiscard]] std::string slurm_gpu_map_note(const Placement& placement);
[[nodiscard]] std::string slurm_hostfile(const Placement& placement);
[[nodiscard]] std::string torchrun_wrapper(const Placement& placement);

}  // namespace topowise
