// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of this machine as their driver states them. This source is left where the management library is missing, as
// in many containers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/device/backend.hpp>
#include <topowise/device/driver.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/live/sysfs.hpp>

namespace topowise {

/// The GPUs that `driver` shows, in the order of their bus ids, on the PCI tree of the GPUs that `bus` lists. The
/// driver must show at least one.
[[nodiscard]] Topology topology_of(const device::Driver& driver, const std::vector<BusGpu>& bus);

struct DriverAnswer {
  std::optional<Topology> topology;
  std::string reason;    ///< why there is no topology
  bool refused = false;  ///< the driver is there but refuses to answer
};
/// All GPUs of the machine, also those that CUDA_VISIBLE_DEVICES and its like hide from this process. A child process
/// asks the driver, because the driver reads those lists only at its first use, and this process may become a program
/// that needs other lists.
[[nodiscard]] DriverAnswer ask_driver(const device::Backend& backend, const std::vector<BusGpu>& bus);

}  // namespace topowise
