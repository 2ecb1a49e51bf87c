// SPDX-License-Identifier: BSD-3-Clause
// A network's machine, seen as switches with hosts on them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/host_names.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

/// Where a cable of a host ends. Its words are the fabric's own, which must live as long: a host may have many cables.
struct FabricCableEnd {
  VertexId on;               ///< a switch; of a network without switches the host itself, as its router
  BytesPerSecond bandwidth;  ///< 0 if not known
  std::string_view source;
  std::string_view adapter;  ///< its name at the host's end; empty if not known
};

struct FabricHost {
  std::string name;
  VertexId vertex;
  std::vector<FabricCableEnd>
      cable_ends;  ///< one for each cable, by the adapters' names, else as the fabric lists them
};

/// The places of a network are its hosts. In a network without switches (torus:) hosts are joined to each other: each
/// stands for its router as well.
struct FabricHosts {
  std::vector<FabricHost> hosts;
  std::vector<bool> stays;  ///< by vertex: a switch or a router, not only a host
  bool named = false;       ///< the fabric tells the real names
};

[[nodiscard]] HostNames names_of_hosts(const std::vector<FabricHost>& hosts);

/// Throws Error(bad_input) for a machine whose places are no hosts.
[[nodiscard]] FabricHosts hosts_of_fabric(const Topology& fabric);

/// The chosen ones, in the order of `names`; hosts that the fabric does not know are named in Error(bad_input). A
/// fabric without names lends its first hosts. A host that is named twice counts once. No names: all hosts.
[[nodiscard]] std::vector<FabricHost> choose_hosts(const FabricHosts& all, const std::string& fabric,
                                                   const std::optional<std::vector<std::string>>& names);

}  // namespace topowise
