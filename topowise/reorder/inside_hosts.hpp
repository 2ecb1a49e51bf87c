// SPDX-License-Identifier: BSD-3-Clause
// Decides, inside each place of a job's machine (as a rule a host), which of its processes plays which of its vertices.
// What the network carries is decided before, and no byte of it is traded for one that crosses a socket.
#pragma once

#include <optional>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/reorder/job_machine.hpp>

namespace topowise {

/// The vertices and processes of one place, as a job of its own in which vertex i is played by process i.
struct HostJob {
  Traffic graph;
  JobMachine machine;                  ///< its places: parts of the host
  std::vector<std::size_t> vertices;   ///< of the whole job, by their numbers in this one
  std::vector<std::size_t> processes;  ///< the same; behind those that play a vertex those that play none
};

/// A job for every place with two or more vertices whose processes are bound to different parts of it.
/// `process_of_vertex`: who plays what.
[[nodiscard]] std::vector<HostJob> jobs_of_hosts(const Traffic& graph, const JobMachine& machine,
                                                 const std::vector<std::size_t>& process_of_vertex);

}  // namespace topowise
