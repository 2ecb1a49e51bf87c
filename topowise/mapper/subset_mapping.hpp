// SPDX-License-Identifier: BSD-3-Clause
// The best mapping onto a hierarchy, by dynamic programming over sets of ranks.
#pragma once

#include <optional>

#include <topowise/mapper/deadline.hpp>
#include <topowise/mapper/hierarchy.hpp>

namespace topowise {

/// Most ranks: tables have 2^ranks entries.
inline constexpr std::size_t kMostSubsetRanks = 20;

/// Splits of sets that subset_mapping() would look at.
[[nodiscard]] double subset_mapping_work(const Hierarchy& machine, std::size_t ranks);

/// An optimal mapping, or nothing if the deadline passed. Needs ranks <= kMostSubsetRanks and enough room.
[[nodiscard]] std::optional<Mapping> subset_mapping(const Hierarchy& machine, const Traffic& traffic,
                                                    const Deadline& deadline);

}  // namespace topowise
