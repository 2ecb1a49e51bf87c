// SPDX-License-Identifier: BSD-3-Clause
// The best mapping onto a hierarchy, by dynamic programming over sets of ranks.
#pragma once

#include <optional>

#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/hierarchy.hpp>

namespace topowise {

/// Most ranks: tables have 2^ranks entries.
inline constexpr std::size_t kMostSubsetRanks = 20;

/// Splits of sets that subset_mapping() would look at; infinity if there are too many ranks, or tables.
[[nodiscard]] double subset_mapping_work(const Hierarchy& machine, const MapProblem& problem);

/// An optimal mapping that keeps fixed ranks and loads; nothing if the deadline passed or no mapping keeps the loads.
/// `machine` is that of the problem. Needs ranks <= kMostSubsetRanks and places for as many.
[[nodiscard]] std::optional<Mapping> subset_mapping(const Hierarchy& machine, const MapProblem& problem,
                                                    const Deadline& deadline);

}  // namespace topowise
