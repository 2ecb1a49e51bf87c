// SPDX-License-Identifier: BSD-3-Clause
// Reads what a user may write for TOPOLOGY.
#pragma once

#include <string>
#include <string_view>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// Reads TOPOLOGY as docs/cli.md defines it: `live`, `preset:NAME`, `tree:2:2:2[@1:10:100]`, FILE or `-`, several of
/// these joined with '+', or `cluster:FABRIC,NODE`. `format` forces the format of files. Each file is opened once.
/// Throws Error.
[[nodiscard]] Topology read_topology(const std::string& argument, std::string_view format = {});

}  // namespace topowise
