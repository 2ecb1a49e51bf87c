// SPDX-License-Identifier: BSD-3-Clause
// What a source says of GPUs that does not say how they are joined. It makes no machine, but can be added to one.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

struct GpuIdentities {
  struct Gpu {
    std::optional<PciAddress> pci;
    std::string uuid;
  };
  std::vector<Gpu> gpus;                                                ///< in the order of the tool's numbers
  std::set<std::pair<std::size_t, std::size_t>> without_peer_access{};  ///< by number, smaller one first
  std::vector<std::string> warnings{};
  std::string assumption{};  ///< what the use of these statements rests on; empty if on nothing
};

}  // namespace topowise
