// SPDX-License-Identifier: BSD-3-Clause
// Among mappings of one cost, the one that moves the fewest ranks.
#pragma once

#include <topowise/graph/mapping.hpp>
#include <topowise/mapper/problem/hierarchy.hpp>

namespace topowise {

/// Places, or parts of the machine, that are exactly alike can hand each other all that they hold: the cost stays.
/// Returns one of the mappings that `found` becomes in this way, one under which the most ranks stand where they stand
/// `now`; what is left is handed on in order, so that neighbours in `now` are likely to stay neighbours. `machine`: of
/// hop-bytes; its leaves are all places of both mappings. Among more than 256 parts that are alike, at least half as
/// many ranks stand still as could.
[[nodiscard]] Mapping fewest_moves(const Hierarchy& machine, const Mapping& found, const Mapping& now);

/// A machine of places that are equally far from each other.
[[nodiscard]] Hierarchy equally_far(const MapProblem& problem);

}  // namespace topowise
