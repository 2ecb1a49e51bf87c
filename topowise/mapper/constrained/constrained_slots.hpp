// SPDX-License-Identifier: BSD-3-Clause
// Constrained problems as quadratic assignment problems: every rank on a slot of its own.
#pragma once

#include <topowise/mapper/exact/branch_and_bound.hpp>

namespace topowise {

/// The slots of the places in order, side by side. Where ranks have loads, a place has as many as the most ranks that
/// it may hold: those that are fixed there and the lightest of the others.
[[nodiscard]] std::vector<Place> slots_to_bear(const MapProblem& problem);

/// What the problem asks of mappings that are given by such slots.
[[nodiscard]] Restrictions restrictions(const MapProblem& problem, const SlotOfRank& slot_of_rank);

/// The problem without fixed ranks and loads. Every mapping that keeps them also answers this problem, at the same
/// cost.
[[nodiscard]] MapProblem relaxed(const MapProblem& problem);

}  // namespace topowise
