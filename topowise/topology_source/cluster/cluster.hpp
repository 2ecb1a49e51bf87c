// SPDX-License-Identifier: BSD-3-Clause
// `cluster:FABRIC,NODE`: a cluster of GPU nodes, made from a description of its network and a description of a node.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <topowise/graph/topology.hpp>

namespace topowise {

inline constexpr std::string_view kClusterPrefix = "cluster:";
/// The TOPOLOGY that is the network of the site, which `live` means as FABRIC (live/live_fabric.hpp).
inline constexpr std::string_view kLiveFabric = "live:fabric";

/// `description` is the text after the prefix (cluster_plan.hpp). `read` reads the TOPOLOGYs that it names. Throws
/// Error for a description without sense, hosts that the fabric does not know, and hosts without a description.
[[nodiscard]] Topology read_cluster(std::string_view description,
                                    const std::function<Topology(const std::string&)>& read);

}  // namespace topowise
