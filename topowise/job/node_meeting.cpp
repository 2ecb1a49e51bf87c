// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/node_meeting.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/launch/job_name.hpp>

namespace topowise::cli {

std::string job_of(const JobProcess& process) {
  if (!process.size || !process.local_rank || !process.local_size)
    throw not_available(fmt::format("{} does not tell how many ranks the job and this node have", process.launcher));
  std::string job = job_name_here(static_cast<int>(*process.size));
  if (job == "unnamed") throw not_available(fmt::format("{} does not tell the job's name", process.launcher));
  return job;
}

Meeting node_meeting(const JobProcess& process, const std::string& job, const std::string& purpose, Seconds patience) {
  // Nodes that are acted out share a memory: the host's name belongs to the room.
  const std::string room = fmt::format("{} on {} for {}", job, host_name(), purpose);
  return {meeting_folder(), job_key(room, static_cast<int>(*process.size)), *process.local_rank, *process.local_size,
          std::chrono::milliseconds(static_cast<std::int64_t>(patience.value() * 1000))};
}

bool all_of_node(bool mine, const JobProcess& process, Seconds patience) {
  const std::string yes = "yes";
  try {
    const std::string answer = meet(node_meeting(process, job_of(process), "verdict", patience), mine ? yes : "no",
                                    [&](const std::vector<std::string>& reports) {
                                      const bool all = std::ranges::count(reports, yes) == std::ssize(reports);
                                      return std::vector<std::string>(reports.size(), all ? yes : "no");
                                    });
    return answer.empty() ? mine : answer == yes;
  } catch (const Error&) {
    return mine;  // no launcher, or somebody did not come: nobody else can be asked
  }
}

}  // namespace topowise::cli
