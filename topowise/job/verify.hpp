// SPDX-License-Identifier: BSD-3-Clause
// Compares what a rank should get with what it has: host, device, processors, memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/device/driver.hpp>
#include <topowise/job/notices.hpp>
#include <topowise/job/process.hpp>
#include <topowise/job/rank_setup.hpp>
#include <topowise/launch/gpu_environment.hpp>
#include <topowise/launch/placement.hpp>

namespace topowise::job {

struct Expectation {
  std::string what;  ///< "device", "list of visible GPUs", "host", "NIC", "processors", "memory", "ranks of the node"
  std::string expected;
  std::string actual;
  bool met = false;
  bool by_lists = false;  ///< true if only the variables that list visible GPUs were compared: no driver shows the GPU
  bool far = false;       ///< true if the rank could run on processors that are near the device, but does not
};

/// The device that a program gets, known from the lists of visible devices alone: the one that the preloaded library
/// shall make current, if it is in the list; else the one of a program that chooses "local rank, modulo the devices".
[[nodiscard]] Expectation listed_device(const PlacedNode& node, std::size_t gpu, std::size_t local_rank,
                                        const Inherited& environment);
/// The driver's number of that device; with GpuBinding::set_device, of the device that is made current. Nothing if the
/// rank has no GPU or the driver does not show it. The driver must have been opened in the program's environment.
[[nodiscard]] std::optional<int> device_of(const RankTarget& target, GpuBinding binding, const device::Driver& driver);
/// The ranks of the job that run on this host, ascending, by asking them. Nothing if the launcher does not say how
/// many they are, or if one of them does not come.
[[nodiscard]] std::optional<std::vector<std::size_t>> ranks_here(const Process& process, Seconds timeout);
/// That these are the ranks that the mapping puts on the node of `rank`: those of one node together, and no others.
[[nodiscard]] Expectation ranks_of_node(const Placement& placement, std::size_t rank,
                                        const std::vector<std::size_t>& here);

/// That device as an expectation, compared by UUID or bus id; nothing if there is no driver or no way to compare.
[[nodiscard]] std::optional<Expectation> driven_device(const RankTarget& target, GpuBinding binding,
                                                       const std::optional<device::Driver>& driver);
/// The name by which the preloaded library finds the device of a rank when MPI ends; empty if it has none.
[[nodiscard]] std::string name_at_end(const RankTarget& target, const Inherited& environment);
/// The expectations of host, NIC, processors (if `check_cpus`) and memory policy.
[[nodiscard]] std::vector<Expectation> surroundings(const RankTarget& target, bool check_cpus);

/// Prints one line for the node if all of its ranks are as mapped, else a line for each rank that is not. True if all
/// are: otherwise no rank of the node may become the program, because launchers often fail to end a job whose ranks are
/// on their way into MPI. A rank from which nothing is expected passes no expectations; if none is expected of any
/// rank, the line says so. Where the ranks cannot meet, each prints its own line and decides by itself.
[[nodiscard]] bool verify_node(const std::vector<Expectation>& expectations, const Process& process, Seconds timeout,
                               const Notices& notices);

}  // namespace topowise::job
