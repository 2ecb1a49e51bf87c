// SPDX-License-Identifier: BSD-3-Clause
// Rates of a host's links that one source of a join has only assumed and the other source knows: a `topo -m` does not
// tell the generation of PCIe, but a preset or the driver does.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include <topowise/graph/topology.hpp>

namespace topowise {

class HostRates {
 public:
  /// Collects what the machine's source knows: for each kind of link and of its lower end, the rate that all such links
  /// share.
  explicit HostRates(const Topology& machine);

  /// Replaces bandwidth and provenance of a link of `machine` if they are assumed. A PCIe link of a switch or an
  /// adapter of which nothing else is known gets the rate of the GPUs' links.
  void settle(const Topology& machine, Link& link) const;

 private:
  struct Known {
    BytesPerSecond bandwidth;
    Provenance source;
  };
  using Key = std::pair<LinkKind, VertexKind>;  ///< kind of link and of its lower end; between sockets always a package
  [[nodiscard]] const Known* find(const Key& key) const;

  std::map<Key, std::optional<Known>> known_;  ///< nothing where the rates differ
};

}  // namespace topowise
