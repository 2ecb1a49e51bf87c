// SPDX-License-Identifier: BSD-3-Clause
// What a source says of GPUs without saying how they are joined: no machine by itself, but something to add to one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

struct GpuIdentities {
  struct Gpu {
    std::optional<PciAddress> pci;
    std::string uuid;
  };
  std::vector<Gpu> gpus;  ///< in the order of the tool's numbers
  std::vector<std::string> warnings;
};

}  // namespace topowise
