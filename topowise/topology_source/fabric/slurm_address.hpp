// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// Where each host is, as Slurm gives it to its tasks: srun --ntasks-per-node=1 env | grep ^SLURM_TOPOLOGY_ADDR.
extern const TopologyFormat kSlurmAddressFormat;

}  // namespace topowise
