// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of this machine as their driver tells them: what is left where the management library is not there, as in
// many containers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/device/backend.hpp>
#include <topowise/device/driver.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/live/sysfs.hpp>

namespace topowise {

/// The GPUs that `driver` shows, in the order of their bus ids, on the tree of those that `bus` lists. The driver must
/// show one.
[[nodiscard]] Topology topology_of(const device::Driver& driver, const std::vector<BusGpu>& bus);

struct DriverAnswer {
  std::optional<Topology> topology;
  std::string reason;    ///< why there is none
  bool refused = false;  ///< the driver is there and says no
};
/// All GPUs of the machine, also those that CUDA_VISIBLE_DEVICES and its like hide from this process. The driver is
/// asked in a child process: it reads those lists at its first use and never again, and this process may become one
/// that needs other lists.
[[nodiscard]] DriverAnswer ask_driver(const device::Backend& backend, const std::vector<BusGpu>& bus);

}  // namespace topowise
