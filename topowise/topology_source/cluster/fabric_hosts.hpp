// SPDX-License-Identifier: BSD-3-Clause
// The machine of a network, seen as switches with hosts on them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/host_names.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

/// The end of a cable of a host. Its texts are views into the fabric, which must live as long: a host may have many
/// cables.
struct FabricCableEnd {
  VertexId on;               ///< a switch; without switches the host itself, as its router
  BytesPerSecond bandwidth;  ///< 0 if not known
  const Provenance* source;  ///< null for a router
  std::string_view adapter;  ///< its name at the host's end; empty if not known
};

struct FabricHost {
  std::string name;
  VertexId vertex;
  std::vector<FabricCableEnd>
      cable_ends;  ///< one for each cable, by the adapters' names, else as the fabric lists them
};

/// The places of a network are its hosts. In a network without switches (torus:) hosts are joined to each other, so
/// each host also stands for its router.
struct FabricHosts {
  std::vector<FabricHost> hosts;
  std::vector<bool> stays;  ///< by vertex: true for a switch or a router, false for what is only a host
  bool named = false;       ///< the fabric gives the real names
  std::string left_out;     ///< which hosts its reader has left out, and why; empty: none
};

[[nodiscard]] HostNames names_of_hosts(const std::vector<FabricHost>& hosts);

/// Throws Error(bad_input) for a machine whose places are no hosts.
[[nodiscard]] FabricHosts hosts_of_fabric(const Topology& fabric);

/// The hosts of the given names, in the order of `names`; all hosts if there are no names. Throws Error(bad_input) that
/// lists the hosts which the fabric does not know. A fabric without names gives its first hosts the names. A host that
/// is named twice counts once.
[[nodiscard]] std::vector<FabricHost> choose_hosts(const FabricHosts& all, const std::string& fabric,
                                                   const std::optional<std::vector<std::string>>& names);

}  // namespace topowise
