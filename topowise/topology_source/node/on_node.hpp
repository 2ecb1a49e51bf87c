// SPDX-License-Identifier: BSD-3-Clause
// The name of the host that a description is of.
#pragma once

#include <string>
#include <string_view>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// The name if it is one by which others know the host; empty for what systems without a name have ("localhost",
/// "(none)").
[[nodiscard]] std::string host_or_empty(std::string_view name);

/// The same machine with all its vertices on the node `name`, but those that are on a node already. An empty name
/// changes nothing.
[[nodiscard]] Topology on_node(const Topology& machine, const std::string& name);

}  // namespace topowise
