// SPDX-License-Identifier: BSD-3-Clause
// The processes of this job on this node, as the launcher tells of them, in one meeting.
#pragma once

#include <string>

#include <topowise/base/units.hpp>
#include <topowise/job/meeting/rendezvous.hpp>
#include <topowise/job/process.hpp>

namespace topowise::job {

/// Name of this process's job. Throws Error(not_available) if the launcher does not tell it, or not how many ranks the
/// job and this node have.
[[nodiscard]] std::string job_of(const Process& process);

/// A job may meet several times, each time for another purpose. `job` is its name, from job_of().
[[nodiscard]] Meeting node_meeting(const Process& process, const std::string& job, const std::string& purpose,
                                   Seconds timeout);

}  // namespace topowise::job
