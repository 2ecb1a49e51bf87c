// SPDX-License-Identifier: BSD-3-Clause
// Rates of a host's links that one source of a join has only assumed and the other one knows: a `topo -m` tells no
// generation of PCIe, a preset or the driver does.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include <topowise/graph/topology.hpp>

namespace topowise {

class HostRates {
 public:
  /// What the machine's source knows: of each kind of link, by what is at its lower end, the one rate of all of them.
  explicit HostRates(const Topology& machine);

  /// Replaces bandwidth and provenance of a link of `machine` that are assumed. A PCIe link of a switch or an adapter
  /// is taken to be like those of the GPUs where nothing else is known of it.
  void settle(const Topology& machine, Link& link) const;

 private:
  struct Known {
    BytesPerSecond bandwidth;
    std::string source;
  };
  using Key = std::pair<LinkKind, VertexKind>;  ///< of links between sockets: with that of either end
  [[nodiscard]] const Known* find(const Key& key) const;

  std::map<Key, std::optional<Known>> known_;  ///< nothing where rates differ
};

}  // namespace topowise
