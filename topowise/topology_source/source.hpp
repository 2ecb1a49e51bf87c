// SPDX-License-Identifier: BSD-3-Clause
// All ways to a Topology, in one table. Reads what a user may write for TOPOLOGY.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/device/nvml.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/reading/topology_format.hpp>

namespace topowise {

/// The formats, in the order in which they are tried on a content.
[[nodiscard]] std::span<const TopologyFormat> topology_formats();

/// This machine as the job of this process has it, and the whole node.
inline constexpr std::string_view kLive = "live";
inline constexpr std::string_view kLiveNode = "live:node";

/// This machine, and what NVML said of its GPUs, for callers that need more than where the GPUs are.
struct LiveTopology {
  Topology topology;
  std::optional<nvml::Report> nvml;
  std::string limits;  ///< what is not known of the GPUs, and why; empty if a management library described them
};
/// Reads `live:node`. Throws Error(not_available).
[[nodiscard]] LiveTopology read_live();

/// Reads TOPOLOGY as docs/cli.md defines it: `live`, `live:node`, `preset:NAME`, `tree:2:2:2[@1:10:100]`, FILE or `-`,
/// several of these joined with '+', or `cluster:FABRIC,NODE`. `format` forces the format of files. Throws Error.
[[nodiscard]] Topology read_topology(const std::string& argument, std::string_view format = {});
/// The same for the content of a file. `where` names it in messages.
[[nodiscard]] Topology read_topology_text(const std::string& where, std::string_view text,
                                          std::string_view format = {});

}  // namespace topowise
