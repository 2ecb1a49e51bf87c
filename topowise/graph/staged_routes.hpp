// SPDX-License-Identifier: BSD-3-Clause
// Routes of GPUs that cannot read each other's memory: a copy goes into the memory of the host, and from there to the
// other GPU.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include <topowise/graph/topology_parts.hpp>

namespace topowise {

/// The routes of the pairs without peer access, each way. A pair is left out if no host is described that both reach.
[[nodiscard]] std::map<std::pair<Place, Place>, std::vector<LinkId>> staged_routes(const TopologyParts& parts);

}  // namespace topowise
