// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/node_meeting.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/job/launcher_watch.hpp>
#include <topowise/job/meeting/meeting_place.hpp>
#include <topowise/launch/job_name.hpp>

namespace topowise::job {

std::string job_of(const Process& process) {
  if (!process.size || !process.local_rank || !process.local_size)
    throw not_available(fmt::format("{} does not say how many ranks the job and this node have", process.launcher));
  std::string job = job_name_here(static_cast<int>(*process.size));
  if (job == "unnamed") throw not_available(fmt::format("{} does not give the job's name", process.launcher));
  return job;
}

Meeting node_meeting(const Process& process, const std::string& job, const std::string& purpose, Seconds timeout) {
  // The name of the meeting holds the host's name, because simulated nodes share one memory. It also holds the node's
  // number, because two agents of torchrun may share a host.
  const std::string node = process.node_rank ? fmt::format(", node rank {}", *process.node_rank) : std::string();
  const std::string name = fmt::format("{} on {}{} for {}", job, host_name(), node, purpose);
  constexpr double kLongest = 1e9;  // seconds
  Meeting meeting{meeting_places(), job_key(name, static_cast<int>(*process.size)), *process.local_rank,
                  *process.local_size,
                  std::chrono::milliseconds(static_cast<std::int64_t>(std::min(timeout.value(), kLongest) * 1000))};
  meeting.gone = [&watch = launcher_watch()] { return watch.gone(); };
  return meeting;
}

}  // namespace topowise::job
