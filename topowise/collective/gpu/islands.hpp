// SPDX-License-Identifier: BSD-3-Clause
// Which GPUs reach each other without crossing the host: by NVML where it knows them, else by the driver's word on
// wires between them (xGMI, NVLink) and by the NUMA nodes that sysfs states.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <topowise/device/driver.hpp>
#include <topowise/device/nvml.hpp>

namespace topowise::collective {

struct Islands {
  std::vector<int> island;  ///< the island of each GPU, numbered from 0 in the order of the GPUs
  bool bonded = false;      ///< every two have wires of the vendor's own, to each other or both to switches
};

/// `pci`: bus ids. GPUs that the report does not have are islands of their own.
[[nodiscard]] Islands islands_in(const nvml::Report& report, const std::vector<std::string>& pci);
/// The same by NUMA nodes, and by `bonded(a, b)`, which says whether wires of the vendor's own join GPUs a and b of the
/// list.
[[nodiscard]] Islands islands_by_wires(const std::vector<int>& numa,
                                       const std::function<bool(std::size_t a, std::size_t b)>& bonded);
/// The islands of this machine, asked once for the same GPUs. One island if nothing is known.
[[nodiscard]] Islands find_islands(const device::Driver& driver, const std::vector<std::string>& pci);

}  // namespace topowise::collective
