// SPDX-License-Identifier: BSD-3-Clause
// Which process plays which vertex of an MPI virtual topology.
#pragma once

#include <optional>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/reorder/job_machine.hpp>

namespace topowise {

struct Reordering {
  std::vector<std::size_t> process_of_vertex;  ///< distinct
  double cost_before = 0;                      ///< hop-bytes with vertex v played by process v
  double cost = 0;                             ///< never above `cost_before`
  bool proven_optimal = false;                 ///< `cost`
  // Hop-bytes between the parts of each host, where processes are bound to different ones:
  double inside_before = 0;  ///< vertices of each host after the move, each with its own process if that is there
  double inside = 0;         ///< never above `inside_before`

  [[nodiscard]] bool trivial() const;  ///< vertex v is played by process v
};

/// `graph` has as many vertices as there are processes, or fewer: the rest is left out. A vertex stays with its own
/// process where its host stays the same, and no part of the host is better. The answer is the trivial one, and at
/// once, where all processes share a place and its part, or no vertex talks; and wherever nothing better is found.
[[nodiscard]] Reordering reorder(const Traffic& graph, const JobMachine& machine, const MapOptions& options = {});

/// The same in a millisecond for small jobs, which make their communicators in as long: constructions and a short local
/// search, all of which end by counts of steps. Proves only that nothing is left to gain.
[[nodiscard]] Reordering reorder_fast(const Traffic& graph, const JobMachine& machine);

/// Without options as reorder_fast(); with options the better of both, as a time limit may be too short for a search to
/// begin.
[[nodiscard]] Reordering reorder(const Traffic& graph, const JobMachine& machine,
                                 const std::optional<MapOptions>& options);

}  // namespace topowise
