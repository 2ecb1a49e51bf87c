// SPDX-License-Identifier: BSD-3-Clause
// A meeting of the processes of this job on this node, as the launcher describes them.
#pragma once

#include <string>

#include <topowise/base/units.hpp>
#include <topowise/job/meeting/rendezvous.hpp>
#include <topowise/job/process.hpp>

namespace topowise::job {

/// The name of this process's job. Throws Error(not_available) if the launcher does not say, or does not say how
/// many ranks the job and this node have.
[[nodiscard]] std::string job_of(const Process& process);

/// A meeting for one purpose; a job may meet several times, each time for another purpose. `job` is its name, from
/// job_of().
[[nodiscard]] Meeting node_meeting(const Process& process, const std::string& job, const std::string& purpose,
                                   Seconds timeout);

}  // namespace topowise::job
