// SPDX-License-Identifier: BSD-3-Clause
// Constrained problems as quadratic assignment problems: every rank on a slot of its own.
#pragma once

#include <topowise/mapper/exact/branch_and_bound.hpp>

namespace topowise {

/// The slots of the rooms in order, side by side. Where ranks have loads, a place has as many as the most ranks that it
/// may hold: those that are fixed there and the lightest of the others.
[[nodiscard]] std::vector<Place> seats(const MapProblem& problem);

/// Slots of the ranks' places: on each place those that are fixed there first, then the others in order.
[[nodiscard]] SlotOfRank seated(const MapProblem& problem, std::span<const Place> seats, const Mapping& mapping);

/// What the problem asks of mappings that are given by such slots.
[[nodiscard]] Restrictions restrictions(const MapProblem& problem, const SlotOfRank& seated);

/// A problem without fixed ranks and loads that every mapping which keeps them answers as well, at the same cost.
[[nodiscard]] MapProblem relaxed(const MapProblem& problem);

}  // namespace topowise
