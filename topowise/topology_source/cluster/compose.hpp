// SPDX-License-Identifier: BSD-3-Clause
// Makes a cluster from a fabric and a description of its nodes. Each host becomes a copy of its node, and the adapters
// (NICs) of the copy hang on the switches. The routes decide which adapter a GPU uses (graph/cluster_routing.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/cluster/fabric_hosts.hpp>
#include <topowise/topology_source/cluster/shared_switches.hpp>

namespace topowise {

struct ClusterParts {
  std::string name;
  Topology fabric;
  std::vector<bool> stays;            ///< by vertex of the fabric: true for a switch or a router, false for a mere host
  std::vector<FabricHost> hosts;      ///< in the order of their places
  std::vector<std::size_t> kind;      ///< by host: an index into machines
  std::vector<Topology> machines;     ///< of single nodes
  bool shared_nvlink = false;         ///< the NVSwitches of all hosts on a leaf switch are one plane
  std::optional<BytesPerSecond> nic;  ///< rate of an adapter where the fabric states none
  std::optional<SharedSwitches> shared;
  bool invents_hosts = false;         ///< neither the fabric nor the user names them
  std::vector<std::string> warnings;  ///< about the hosts
};

/// Places are those of the nodes, host by host. A vertex of a node is called "HOST:NAME". If the fabric and the node
/// use the same names of adapters, each cable goes to the adapter of its name. Otherwise cables and adapters are joined
/// in order, so that rails keep to their switches, and a single cable stands for all. A cable on a shared switch is
/// left out, with a warning, if its adapter is known by name and no GPU's nearest. Rates that no source states are
/// assumed, marked so, and warned of once: an adapter gets the rate of its PCIe link, and a link between switches what
/// the hosts below can send.
[[nodiscard]] Topology compose_cluster(ClusterParts parts);

}  // namespace topowise
