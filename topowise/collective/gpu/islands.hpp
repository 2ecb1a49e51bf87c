// SPDX-License-Identifier: BSD-3-Clause
// Which GPUs reach each other without crossing the host, by NVML, else by the NUMA node that sysfs states.
#pragma once

#include <string>
#include <vector>

#include <topowise/device/nvml.hpp>

namespace topowise::collective {

struct Islands {
  std::vector<int> island;  ///< the island of each GPU, numbered from 0 in the order of the GPUs
  bool bonded = false;      ///< every two have NVLinks, to each other or both to switches
};

/// `pci`: bus ids. GPUs that the report does not have are islands of their own.
[[nodiscard]] Islands islands_in(const nvml::Report& report, const std::vector<std::string>& pci);
/// The islands of this machine, asked once for the same GPUs. One island if nothing is known.
[[nodiscard]] Islands find_islands(const std::vector<std::string>& pci);

}  // namespace topowise::collective
