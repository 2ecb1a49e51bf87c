// SPDX-License-Identifier: BSD-3-Clause
// What a mapping means for this process: a GPU and processors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/job/process.hpp>
#include <topowise/launch/gpu_environment.hpp>
#include <topowise/launch/placement.hpp>

namespace topowise::job {

struct MappedMachine {
  Mapping mapping;
  Topology topology;
};
/// Reads a file that `map --save` wrote. Throws Error(bad_input), also if the file does not have the machine.
[[nodiscard]] MappedMachine read_mapped_machine(const std::string& path);

/// Throws Error(bad_input) if the job has another number of ranks than the mapping.
void check_job(const Placement& placement, const Process& process);

/// Where a rank must be.
struct RankTarget {
  std::size_t rank = 0;
  std::size_t local_rank = 0;       ///< local rank of the process
  std::string host;                 ///< empty: any
  std::string place;                ///< its name
  std::optional<NodeGpu> gpu;       ///< nothing: no GPU is chosen
  std::string cpus;                 ///< Linux cpulist of its place, empty if not known
  std::vector<std::string> nics{};  ///< those that `variables` names
  Variables variables;              ///< variables to set
};
[[nodiscard]] RankTarget target_of(const Placement& placement, const Process& process, GpuBinding binding,
                                   const Inherited& environment);

/// Says why the mapping seems to be made for another machine than this one: the host has another name, or a GPU's bus
/// id has no device here although the machine has GPUs. Empty if there is no such sign. `bus` is /sys/bus/pci/devices.
[[nodiscard]] std::string sign_of_another_machine(const RankTarget& target, const std::string& host,
                                                  const std::string& bus = "/sys/bus/pci/devices");

/// The processors near the rank's place: those of the mapping, else those that the system states for the GPU's bus id.
/// Empty if neither knows.
[[nodiscard]] std::vector<int> cpus_near(const RankTarget& target);

}  // namespace topowise::job
