// SPDX-License-Identifier: BSD-3-Clause
// Binds a rank to the processors that its mapping means, whatever its launcher has bound it to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/job/notices.hpp>
#include <topowise/job/process.hpp>
#include <topowise/job/rank_setup.hpp>
#include <topowise/launch/placement.hpp>

namespace topowise::job {

enum class CpuBinding : unsigned char {
  place,  ///< a rank on a core is bound to that core; a rank on a GPU keeps the launcher's binding
  numa,   ///< a rank on a GPU is bound to the processors near it, another one as with `place`
  none,
};
[[nodiscard]] std::optional<CpuBinding> parse_cpu_binding(std::string_view text);

/// True if this binding is about the processors of the target's place.
[[nodiscard]] bool binds_cpus(CpuBinding binding, const RankTarget& target);

/// What the job's first rank notes about places whose processors nobody is bound to: a place that is no GPU and whose
/// processors are not known, a compute node, or CpuBinding::none. Empty if all is in effect.
[[nodiscard]] std::string what_is_not_bound(const Placement& placement, const Topology& topology, CpuBinding binding);

/// What the job's first rank notes if ranks of several threads, as the environment says, are bound to fewer processors.
/// Empty if they are not.
[[nodiscard]] std::string threads_without_processors(const RankTarget& target, const Inherited& environment);

/// The processors of the job among those that the system permits. Where Slurm keeps jobs apart without control groups,
/// the system permits all: if the job has less than that, its processors are those to which its tasks were bound, or
/// this process, whose processors are `own`.
[[nodiscard]] std::vector<int> cpus_of_job(const std::vector<int>& permitted, const std::vector<int>& own,
                                           const Inherited& environment);

/// Why the ranks of a node cannot be bound to their processors, of which the job may only use `permitted`. Empty if
/// each of them has one there.
[[nodiscard]] std::string lack_of_cpus(const Placement& placement, std::size_t node, const std::vector<int>& permitted);

/// Binds this process to the core of its place, if it is on the host of the mapping and the job may use the processors
/// of all ranks of the mapping's node. Else none of them is bound, and the first of them says why. A binding inside the
/// place's processors stays. True if the process is bound there.
bool bind_to_place(const RankTarget& target, const Placement& placement, const Notices& notices);

/// True if none of this process's processors is near the target's GPU, although the job may use some that are.
[[nodiscard]] bool is_far_from_gpu(const RankTarget& target);

/// Variables with which MPI libraries that bind ranks in MPI_Init leave them alone (MVAPICH), but for those that the
/// user has set.
[[nodiscard]] Variables binding_variables(const Inherited& environment);

}  // namespace topowise::job
