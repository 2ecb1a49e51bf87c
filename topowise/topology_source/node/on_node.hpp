// SPDX-License-Identifier: BSD-3-Clause
// The name of the host that a description is of.
#pragma once

#include <string>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// The same machine with all its vertices on the node `name`, but those that are on a node already. An empty name
/// changes nothing.
[[nodiscard]] Topology on_node(const Topology& machine, const std::string& name);

}  // namespace topowise
