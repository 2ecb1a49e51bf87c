// SPDX-License-Identifier: BSD-3-Clause
// The machine as a running job sees it: where each of its processes already is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/reorder/node_part.hpp>

namespace topowise {

/// `topology` has room on each place for the processes that are there, and on no other place.
struct JobMachine {
  Topology topology;
  std::vector<Place> place_of_process;
  Metric metric = Metric::distance;         ///< what a byte between two places costs
  bool equally_far = false;                 ///< all places are equally far from each other
  std::vector<NodePart> part_of_process{};  ///< where on its place each is bound; empty: not known
  std::vector<int> power{};                 ///< of each place; empty: as many as the processes that are there
};

/// Nothing but the hosts is known: they are equally far from each other. `host_of_process`: host names; processes with
/// the same name share a host.
[[nodiscard]] JobMachine equal_hosts(std::span<const std::string> host_of_process);

/// A described cluster. A host of the job is found by its name, with or without its domain. The processes of a host
/// are on its places in order, shared evenly. The power of a place is the capacity that the description gives it.
/// Throws Error(bad_input) that names the hosts which the description lacks, or two that it does not tell apart.
[[nodiscard]] JobMachine described_hosts(const Topology& cluster, std::span<const std::string> host_of_process);

/// One host: a place for each of its smallest parts, as far as processes are bound to different ones. Of two parts that
/// only a package joins, the distance is greater than of two that a cache joins. `part_of_process`: not empty.
[[nodiscard]] JobMachine parts_of_host(std::span<const NodePart> part_of_process);

}  // namespace topowise
