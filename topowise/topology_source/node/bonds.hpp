// SPDX-License-Identifier: BSD-3-Clause
// Direct links between GPUs as both of their ends state them.
#pragma once

#include <map>
#include <utility>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// Collects what each GPU says about its links, and adds the links to a machine when all GPUs have reported. A link
/// that only one end names is added in both directions. Where the ends disagree, each direction keeps its own width,
/// with a warning.
class Bonds {
 public:
  /// States what `from` says: `width` links lead to `to`, and together they carry `bandwidth`. Repeated statements add
  /// up.
  void state(VertexId from, VertexId to, LinkKind kind, int width, BytesPerSecond bandwidth);
  /// The same where only `from` can report, as for the link of a GPU to its processor.
  void state_both(VertexId from, VertexId to, LinkKind kind, int width, BytesPerSecond bandwidth);
  [[nodiscard]] bool empty() const { return stated_.empty(); }
  /// True if no bond is wider than one link.
  [[nodiscard]] bool all_single() const;
  void add_to(TopologyBuilder& builder, const Provenance& source) const;

 private:
  struct End {
    int width = 0;
    BytesPerSecond bandwidth;
  };
  struct Bond {
    End from_first;   ///< as the vertex with the smaller id says
    End from_second;  ///< as the other one says
  };
  std::map<std::pair<LinkKind, std::pair<VertexId, VertexId>>, Bond> stated_;
};

}  // namespace topowise
