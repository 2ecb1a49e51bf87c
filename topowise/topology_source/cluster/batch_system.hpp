// SPDX-License-Identifier: BSD-3-Clause
// What a process can ask about its job: the environment, files that batch systems write, and their programs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topowise {

/// The functions return nothing if there is no such variable, file or program.
struct JobWitness {
  std::function<std::optional<std::string>(const std::string&)> variable;
  std::function<std::optional<std::string>(const std::string&)> file;                  ///< what it holds
  std::function<std::optional<std::string>(const std::vector<std::string>&)> program;  ///< what it prints
  std::string host;                                                                    ///< the name of this node

  /// A variable; empty if it is not set.
  [[nodiscard]] std::string value(const std::string& name) const { return variable(name).value_or(std::string()); }
};

/// Largest file that a batch system or a user writes about the hosts of a job.
inline constexpr std::size_t kLargestHostfile = std::size_t{64} << 20;

/// What this process can ask.
[[nodiscard]] JobWitness this_witness();
/// The same without programs: for each rank of a large job, asking the batch system would be too much.
[[nodiscard]] JobWitness environment_witness();

/// GPUs of a job on some nodes.
struct SlurmGpus {
  std::string nodes;              ///< a list of hosts, "n[0-1]"
  std::vector<std::string> gpus;  ///< numbers on the node
};
/// The first variable that says that the job has GPUs; empty if Slurm does not know of any.
[[nodiscard]] std::string slurm_gpu_request(const JobWitness& witness);
/// The source of what ask_slurm() finds.
inline constexpr std::string_view kAskSlurm = "scontrol -d show job";
/// What that command says of the job of this process; empty without Slurm.
[[nodiscard]] std::vector<SlurmGpus> ask_slurm(const JobWitness& witness);

/// The hosts of a Slurm list; empty for what is no list.
[[nodiscard]] std::vector<std::string> hosts_in(std::string_view hostlist);
/// True if a Slurm list of hosts names this one; `only_first`: as the first.
[[nodiscard]] bool names_host(std::string_view hostlist, const std::string& host, bool only_first = false);

}  // namespace topowise
