// SPDX-License-Identifier: BSD-3-Clause
// What no mapping can go below.
#pragma once

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// Gilmore and Lawler's bound of a quadratic assignment problem: O(ranks^2 x slots).
[[nodiscard]] double gilmore_lawler_bound(const Instance& instance);

/// The heaviest pairs of ranks on the nearest pairs of slots, without asking whether that fits together.
[[nodiscard]] double sorted_products_bound(const Instance& instance);

/// The best bound that can be had in a moment, for every objective and size; 0 at worst.
[[nodiscard]] double quick_lower_bound(const MapProblem& problem);

/// The same, but 0 if no bound is wanted, or if the problem is so large that it would take longer than a moment.
[[nodiscard]] double quick_lower_bound(const MapProblem& problem, const Budget& budget);

/// The best bound. For hop-bytes it uses also flows on every level of the machine and, on up to 512 slots, the
/// projection bound, as far as the budget's time for bounds allows; 0 if there is no such time. The result does not
/// depend on the number of threads.
[[nodiscard]] double lower_bound(const MapProblem& problem, const Budget& budget);

}  // namespace topowise
