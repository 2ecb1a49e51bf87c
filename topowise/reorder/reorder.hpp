// SPDX-License-Identifier: BSD-3-Clause
// Which process plays which vertex of an MPI virtual topology.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/mapper/problem/hierarchy.hpp>
#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/reorder/job_machine.hpp>
#include <topowise/reorder/virtual_topology.hpp>

namespace topowise {

/// Vertices whose order costs less stay all the same if it costs less by so small a part.
inline constexpr double kLeastGain = 0.01;

/// Why an order between places that costs less by at least kLeastGain was not taken.
enum class Obstacle : std::uint8_t {
  none,
  edges_alike,     ///< it costs more if all edges weigh alike
  farthest_level,  ///< it sends more between the places that are farthest from each other
};

struct Reordering {
  std::vector<std::size_t> process_of_vertex;  ///< distinct
  double cost_before = 0;                      ///< hop-bytes with vertex v played by process v
  double cost = 0;                             ///< never above `cost_before`, unless loads are balanced
  bool proven_optimal = false;                 ///< `cost`
  // The same with all edges alike, where the weights are an assumption:
  double alike_before = 0;
  double alike = 0;  ///< never above `alike_before`, unless loads are balanced
  Obstacle obstacle = Obstacle::none;
  double refused = 0;        ///< what the order that was not taken costs
  double refused_alike = 0;  ///< and with all edges alike
  // Hop-bytes between the parts of each host, where processes are bound to different ones:
  double inside_before = 0;  ///< vertices of each host after the move, each with its own process if that is there
  double inside = 0;         ///< never above `inside_before`, unless loads are balanced
  // Where loads of vertices are known: how far the fullest place is above its share of them, 0.5 for half more.
  double fullest_before = 0;
  double fullest = 0;

  [[nodiscard]] bool trivial() const;  ///< vertex v is played by process v
};

/// `graph` has as many vertices as there are processes, or fewer: the rest is left out. A vertex stays with its own
/// process where its host stays the same, and no part of the host is better. The answer is the trivial one, and at
/// once, where all processes share a place and its part, or no vertex talks; and wherever nothing is found that gains
/// kLeastGain. It never sends more between the places that are farthest from each other, on a machine of levels of at
/// most 512 places. Where weights are an assumption, all of this holds also with all edges alike. Where loads of
/// vertices are known and a place has more than kMostAboveShare above its share of them, that comes first: vertices
/// change places until no exchange helps, whatever that costs; then, and else, no order makes a place fuller than the
/// fullest is.
[[nodiscard]] Reordering reorder(const VertexTraffic& graph, const JobMachine& machine, const MapOptions& options = {});

/// The same in a millisecond for small jobs, which make their communicators in as long: constructions and a short local
/// search, all of which end by counts of steps. Proves only that nothing is left to gain.
[[nodiscard]] Reordering reorder_fast(const VertexTraffic& graph, const JobMachine& machine);

/// Without options as reorder_fast(); with options the better of both, as a time limit may be too short for a search to
/// begin.
[[nodiscard]] Reordering reorder(const VertexTraffic& graph, const JobMachine& machine,
                                 const std::optional<MapOptions>& options);

// Among mappings of one cost, the one that moves the fewest ranks.

/// Places, or parts of the machine, that are exactly alike can hand each other all that they hold: the cost stays.
/// Returns one of the mappings that `found` becomes in this way, one under which the most ranks stay where they are
/// `now`; what is left is handed on in order, so that neighbours in `now` are likely to stay neighbours. `machine`: of
/// hop-bytes; its leaves are all places of both mappings. Among more than 256 parts that are alike, at least half as
/// many ranks stay as can.
[[nodiscard]] Mapping fewest_moves(const Hierarchy& machine, const Mapping& found, const Mapping& now);

/// A machine of places that are equally far from each other.
[[nodiscard]] Hierarchy equally_far(const MapProblem& problem);

}  // namespace topowise
