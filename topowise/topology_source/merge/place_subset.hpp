// SPDX-License-Identifier: BSD-3-Clause
// A machine of which only some places may be used, or whose GPUs are known by more than their numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

struct PlaceIdentity {
  Place place;                    ///< in the machine that was described
  std::optional<PciAddress> pci;  ///< if known
  std::string uuid;               ///< if known
};

/// The same machine with only these places, in this order, with what is known of them filled in, and with further
/// warnings.
[[nodiscard]] Topology with_places(const Topology& machine, const std::vector<PlaceIdentity>& keep,
                                   const std::vector<std::string>& warnings = {});

}  // namespace topowise
