// SPDX-License-Identifier: BSD-3-Clause
// `live:node`: this machine, put together from all that it says of itself.
#pragma once

#include <optional>
#include <string>

#include <topowise/device/nvml.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

/// This machine, and what NVML said of its GPUs, for callers that need more than where the GPUs are.
struct LiveTopology {
  Topology topology;
  std::optional<nvml::Report> nvml;
  std::string limits;  ///< what is not known of the GPUs, and why; empty if a management library described them
};
/// Throws Error(not_available) if nothing here can describe it.
[[nodiscard]] LiveTopology read_live();

}  // namespace topowise
