// SPDX-License-Identifier: BSD-3-Clause
// Switches by which hosts are neighbours that their other cables keep apart: a switch for storage or management on
// which every host has an adapter of its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/cluster/fabric_hosts.hpp>

namespace topowise {

struct SharedSwitches {
  std::vector<VertexId> switches;
  std::string what;    ///< "4 of 4 hosts have a cable on 'storage' (mlx5_4), ..."
  std::string remedy;  ///< "hca=mlx5_0"; empty if the fabric does not name adapters
};

/// The switches on which the most hosts are, if these are more than half of the hosts, and other cables of these hosts
/// divide them. Rails are none: without one rail the others still join the same hosts.
[[nodiscard]] std::optional<SharedSwitches> shared_switches(const Topology& fabric, std::span<const FabricHost> hosts);

/// The same machine with a warning, if it is a fabric with such switches.
[[nodiscard]] Topology with_shared_switches_told(Topology machine);

/// Leaves of each host only the cables of these adapters. Throws Error(bad_input) if a host has none of them.
void keep_adapters(std::vector<FabricHost>& hosts, const std::vector<std::string>& names, const std::string& fabric);

}  // namespace topowise
