// SPDX-License-Identifier: BSD-3-Clause
// What a mapping means for this process: its GPU and its processors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/device/driver.hpp>
#include <topowise/job/process.hpp>
#include <topowise/launch/gpu_environment.hpp>
#include <topowise/launch/placement.hpp>

namespace topowise::cli {

/// Reads a file that `map --save` wrote. Throws Error(bad_input), also if it does not tell the machine.
[[nodiscard]] Placement read_placement(const std::string& path);

/// Throws Error(bad_input) if the job has another number of ranks than the mapping.
void check_job(const Placement& placement, const JobProcess& process);

/// Where a rank is to be.
struct RankTarget {
  std::size_t rank = 0;
  std::size_t local_rank = 0;  ///< of the process
  std::string host;            ///< empty: any
  std::string place;           ///< its name
  std::optional<NodeGpu> gpu;  ///< nothing: no GPU is chosen
  std::string cpus;            ///< Linux cpulist of its place, empty if not known
  Variables variables;         ///< to set
};
[[nodiscard]] RankTarget target_of(const Placement& placement, const JobProcess& process, GpuBinding binding,
                                   const Inherited& environment);

/// Processors near the rank's place: from the mapping, else what the system says about the GPU's bus id. Empty if
/// neither knows.
[[nodiscard]] std::vector<int> cpus_near(const RankTarget& target);

/// One thing that --verify looks at.
struct Expectation {
  std::string what;  ///< "device", "host", "processors"
  std::string expected;
  std::string actual;
  bool met = false;
};
/// The device that a program gets that chooses "local rank, modulo the visible devices", by the lists alone.
[[nodiscard]] Expectation listed_device(const PlacedNode& node, std::size_t gpu, std::size_t local_rank,
                                        const Inherited& environment);
/// The driver's number of that device; with GpuBinding::set_device, of the one that is made current. Nothing if the
/// rank has no GPU or the driver does not show it. The driver must have been opened in the program's environment.
[[nodiscard]] std::optional<int> device_of(const RankTarget& target, GpuBinding binding, const device::Driver& driver);
/// The same as an expectation, by UUID or bus id; nothing if there is no driver or no way to compare.
[[nodiscard]] std::optional<Expectation> driven_device(const RankTarget& target, GpuBinding binding,
                                                       const std::optional<device::Driver>& driver);
/// Host, processors (if `check_cpus`) and memory policy.
[[nodiscard]] std::vector<Expectation> surroundings(const RankTarget& target, bool check_cpus);

}  // namespace topowise::cli
