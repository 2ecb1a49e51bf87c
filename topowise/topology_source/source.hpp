// SPDX-License-Identifier: BSD-3-Clause
// Reads what a user may write for TOPOLOGY.
#pragma once

#include <string>
#include <string_view>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// This machine as the job of this process has it, and the whole node.
inline constexpr std::string_view kLive = "live";
inline constexpr std::string_view kLiveNode = "live:node";

/// Reads TOPOLOGY as docs/cli.md defines it: `live`, `live:node`, `preset:NAME`, `tree:2:2:2[@1:10:100]`, FILE or `-`,
/// several of these joined with '+', or `cluster:FABRIC,NODE`. `format` forces the format of files. Each file is opened
/// once. Throws Error.
[[nodiscard]] Topology read_topology(const std::string& argument, std::string_view format = {});

}  // namespace topowise
