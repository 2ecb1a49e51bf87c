// SPDX-License-Identifier: BSD-3-Clause
// Finds where two descriptions of one machine contradict each other.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/merge/match.hpp>

namespace topowise {

/// What a source says about a pair of places.
struct PairStatement {
  PathClass path;
  BytesPerSecond bandwidth;  ///< 0 if not known
  std::string source;        ///< who states it, for messages: the provenance of the number, and the machine's name
  Provenance provenance;     ///< of the number; empty if there is none
};

[[nodiscard]] PairStatement statement_of(const Topology& machine, Place a, Place b);

/// The kind of link that makes such a class.
[[nodiscard]] LinkKind bond_kind(PathClass bond);

/// Warnings, one for each kind of contradiction, with the pairs that it concerns. `first` gives the host's links. Bonds
/// of the kinds `from_other` come from `other`.
[[nodiscard]] std::vector<std::string> contradictions(const Topology& first, const Topology& other,
                                                      const PlaceMatch& match, const std::set<LinkKind>& from_other);

}  // namespace topowise
