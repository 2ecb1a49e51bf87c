// SPDX-License-Identifier: BSD-3-Clause
// What a byte between two blocks costs. A block is what a partition puts ranks into: a place, or a group of places.
// The refinement algorithms are templates over these three, because the call is their innermost loop.
#pragma once

#include <span>

namespace topowise::multilevel {

/// Any two blocks are equally far: the edge cut.
struct CutCost {
  static constexpr bool kIsCut = true;
  [[nodiscard]] double operator()(int a, int b) const { return a == b ? 0.0 : 1.0; }
};

/// Any symmetric distances, as a table; the diagonal may be positive (a block that is a group of places).
struct DenseCost {
  static constexpr bool kIsCut = false;
  std::span<const double> table;
  std::size_t blocks = 0;
  [[nodiscard]] double operator()(int a, int b) const {
    return table[static_cast<std::size_t>(a) * blocks + static_cast<std::size_t>(b)];
  }
};

/// Leaves of a hierarchy: the distance of the deepest vertex above both. For machines too large for a table.
struct TreeCost {
  static constexpr bool kIsCut = false;
  std::span<const int> ancestors;     ///< row of `depth` vertices a block, outermost first; the last is its own
  std::span<const double> distances;  ///< of each vertex of the hierarchy
  std::size_t depth = 0;
  [[nodiscard]] double operator()(int a, int b) const {
    const int* row_a = ancestors.data() + static_cast<std::size_t>(a) * depth;
    const int* row_b = ancestors.data() + static_cast<std::size_t>(b) * depth;
    std::size_t level = depth - 1;
    while (row_a[level] != row_b[level]) --level;  // the root is common
    return distances[static_cast<std::size_t>(row_a[level])];
  }
};

}  // namespace topowise::multilevel
