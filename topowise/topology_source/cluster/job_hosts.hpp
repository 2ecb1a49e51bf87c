// SPDX-License-Identifier: BSD-3-Clause
// Lists of hosts: written out, from a hostfile, or from the batch system for this job.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/cluster/batch_system.hpp>

namespace topowise {

/// A host of a job, and how much of it the job has; 0 where that is not stated.
struct HostPart {
  std::string name;
  std::size_t slots = 0;                ///< ranks
  std::size_t cpus = 0;                 ///< processors
  std::size_t gpus = 0;                 ///< how many GPUs
  std::vector<std::size_t> gpu_list{};  ///< which; empty if that is not known
  std::string slots_source{};           ///< "SLURM_TASKS_PER_NODE"
  std::string devices_source{};         ///< of GPUs or processors
};

/// The hosts of a hostfile in its order, each once: "n01", "n01 slots=4", "n01:4", "n01 4 queue"; comments begin with
/// '#'. A host on several lines has as many slots. Throws Error(bad_input) if there is none.
[[nodiscard]] std::vector<HostPart> parts_of_file(const std::string& where, std::string_view text);

/// The hosts of the job that this process is in, those of all components of a heterogeneous one. Throws
/// Error(not_available) outside of a job.
[[nodiscard]] std::vector<HostPart> parts_of_job(const JobWitness& witness);

/// Hosts, and what the user should know about the list.
struct NamedHosts {
  std::vector<HostPart> parts;
  std::vector<std::string> warnings;
};

/// The hosts of a table of nodes with their states, as sinfo, bhosts, pbsnodes -aS, `flux resource list` and `kubectl
/// get nodes` print it; nothing for another text. Those that no job gets are left out, with a warning for each state.
/// Throws Error(bad_input) if none is left.
[[nodiscard]] std::optional<NamedHosts> hosts_of_table(const std::string& where, std::string_view text);

/// The hosts of "job", "@FILE", or a list: "n[01-16,20]".
[[nodiscard]] NamedHosts named_hosts(const std::string& words);

[[nodiscard]] std::vector<std::string> names_of(const std::vector<HostPart>& parts);

/// The same cluster with only those places that the job has. A warning says which hosts it has in part, and what states
/// it. If only the number of a host's places is known, its first ones are taken.
[[nodiscard]] Topology limited_to_parts(const Topology& cluster, const std::vector<HostPart>& parts);

}  // namespace topowise
