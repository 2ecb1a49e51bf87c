// SPDX-License-Identifier: BSD-3-Clause
// A fabric times a description of its nodes. Each host becomes a copy of its node, and the adapters (NICs) of the copy
// are the joints: they are what hangs on the switches. Which adapter a GPU uses is for the routes to say
// (graph/cluster_routing.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/cluster/fabric_hosts.hpp>

namespace topowise {

struct ClusterParts {
  std::string name;
  Topology fabric;
  std::vector<bool> stays;            ///< by vertex of the fabric: a switch or a router, and no mere host
  std::vector<FabricHost> hosts;      ///< in the order of their places
  std::vector<std::size_t> kind;      ///< of each host: an index into machines
  std::vector<Topology> machines;     ///< of single nodes
  bool shared_nvlink = false;         ///< the NVSwitches of all hosts on a leaf switch are one plane
  std::optional<BytesPerSecond> nic;  ///< rate of an adapter where the fabric states none
};

/// Places are those of the nodes, host by host. A vertex of a node is called "HOST:NAME". Where the fabric
/// and the node call adapters by the same names a cable is on the adapter of its name, else cables and adapters are
/// joined in order, so rails keep to their switches; one cable stands for all. Rates that nobody states are assumed,
/// marked so, and told once: an adapter's is that of its PCIe link, and that between switches what the hosts below can
/// send.
[[nodiscard]] Topology compose_cluster(ClusterParts parts);

}  // namespace topowise
