// SPDX-License-Identifier: BSD-3-Clause
// Keeps ranks to the GPUs that batch systems gave the job.
#pragma once

#include <string>

#include <topowise/job/notices.hpp>
#include <topowise/job/process.hpp>
#include <topowise/launch/gpu_environment.hpp>
#include <topowise/launch/placement.hpp>
#include <topowise/topology_source/live/job_share.hpp>

namespace topowise::job {

/// The share, found among the GPUs of a node of the mapping.
[[nodiscard]] ShareOnNode share_of(const PlacedNode& node, const JobShare& share);

/// The environment as it would be if the batch system had listed the job's GPUs for the program: where no variable
/// lists visible GPUs and some GPUs of the node are not the job's, the variable of each vendor lists the job's.
[[nodiscard]] Inherited within_share(const PlacedNode& node, const ShareOnNode& share, const Inherited& environment);

/// Throws Error(bad_input) if the rank is mapped to a GPU that this process was not given, or, in the first rank of a
/// node, if another rank there is mapped to a GPU that the job was not given. Only the first rank asks the batch
/// system. Returns what within_share() needs.
[[nodiscard]] ShareOnNode require_share(const Placement& placement, std::size_t rank, bool first_of_node,
                                        const JobWitness& witness, const Notices& notices);

/// Hides the GPUs that are not the job's from the drivers that this process opens later, unless a variable that lists
/// visible GPUs is set already. Returns "GPUs 3,4 are this job's (SLURM_JOB_GPUS)", or nothing if none was hidden.
std::string keep_to_share();

}  // namespace topowise::job
