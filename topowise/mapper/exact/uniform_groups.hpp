// SPDX-License-Identifier: BSD-3-Clause
// Hierarchies whose groups of a level are all alike, as nodes of a cluster and the GPUs in them mostly are.
#pragma once

#include <vector>

#include <topowise/mapper/problem/hierarchy.hpp>

namespace topowise {

/// Groups of one level.
struct GroupLevel {
  std::size_t size = 0;     ///< ranks that each holds
  std::size_t members = 0;  ///< groups of the level below in each; 0 at the lowest level, whose groups are places
  double price = 0;         ///< of a byte that crosses its border, either way
};

/// The levels from the places up; the machine as a whole is none. Empty if groups of a level differ, or if a byte out
/// of a group costs another price than a byte into it.
[[nodiscard]] std::vector<GroupLevel> uniform_groups(const Hierarchy& machine);

}  // namespace topowise
