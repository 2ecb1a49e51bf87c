// SPDX-License-Identifier: BSD-3-Clause
// A mapping problem as plain arrays: the quadratic assignment problem (Koopmans and Beckmann 1957) that it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// A place that may be used and how many ranks may be on it; if ranks have loads, how much load.
struct PlaceCapacity {
  Place place;
  std::size_t capacity = 1;
};
/// The allowed places in order, with capacities after `ranks_per_place` or `imbalance`, none above the number of ranks
/// or their load.
[[nodiscard]] std::vector<PlaceCapacity> place_capacities(const MapProblem& problem);

/// The number of ranks, or the sum of their loads.
[[nodiscard]] std::int64_t total_load(const MapProblem& problem);

/// The load of a rank; 1 where ranks have no loads.
[[nodiscard]] inline int load_of(const MapProblem& problem, std::size_t rank) {
  return problem.loads.empty() ? 1 : problem.loads[rank];
}
/// What each place can still hold, by place; below 0 where it is overloaded. 0 for places that may not be used.
[[nodiscard]] std::vector<std::int64_t> capacity_left(const MapProblem& problem, const Mapping& mapping);

/// Each rank on the place at its position in `places`.
[[nodiscard]] Mapping on_places(std::span<const PlaceCapacity> places, std::span<const std::size_t> position_of_rank);

/// The ranks in order onto the places in order, each filled up. They must fit; loads are not looked at.
[[nodiscard]] Mapping fill_in_order(const MapProblem& problem);

/// The problem's objective, computed from scratch.
[[nodiscard]] double cost_of(const MapProblem& problem, const Mapping& mapping);

/// The places by slot: a place of capacity c is c slots.
[[nodiscard]] std::vector<Place> slots(const MapProblem& problem);

/// Slot of every rank; distinct.
using SlotOfRank = std::vector<std::uint32_t>;
/// Gives the slots of each place to its ranks in order, to those of `first` before the others. The slots of a place
/// are side by side.
[[nodiscard]] SlotOfRank to_slots(std::span<const Place> place_of_slot, const Mapping& mapping,
                                  std::span<const FixedRank> first = {});
[[nodiscard]] Mapping to_mapping(std::span<const Place> place_of_slot, std::span<const std::uint32_t> slot_of_rank);

/// hop-bytes = sum over i, j of flow[i][j] * cost[slot_of(i)][slot_of(j)]. Slots of one place are at cost 0.
struct Instance {
  std::size_t ranks = 0;
  std::size_t slots = 0;
  std::vector<Place> place_of_slot;
  std::vector<double> flow;  ///< ranks x ranks, row-major, zero diagonal
  std::vector<double> cost;  ///< slots x slots, row-major, zero diagonal
  /// Both matrices are symmetric. If one of them is, the other is made so: that changes no mapping's cost.
  bool symmetric = false;
  /// Every mapping's cost is a multiple of this; 0 if there is no such number.
  double step = 0;

  [[nodiscard]] double cost_of(std::span<const std::uint32_t> slot_of_rank) const;
};

[[nodiscard]] Instance make_instance(const MapProblem& problem);
/// The same with slots of the caller's choice; the slots of a place are side by side.
[[nodiscard]] Instance make_instance(const MapProblem& problem, std::vector<Place> slots);

}  // namespace topowise
