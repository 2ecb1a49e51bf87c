// SPDX-License-Identifier: BSD-3-Clause
// What a source says of GPUs that does not say how they are joined. It makes no machine, but can be added to one.
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
