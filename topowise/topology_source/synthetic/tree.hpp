// SPDX-License-Identifier: BSD-3-Clause
// Hierarchies that do not exist but are only described: `tree:2:2:2:2@1:10:100:1000`.
#pragma once

#include <span>
#include <string_view>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// Most leaves of a synthetic tree, and most vertices. A tree of this size takes about 1.5 GB.
inline constexpr std::size_t kLargestTreeLeaves = std::size_t{1} << 21;
inline constexpr std::size_t kLargestTreeVertices = std::size_t{1} << 22;
/// Most levels of a synthetic tree.
inline constexpr std::size_t kDeepestTree = 32;

/// Reads the text after "tree:": arities, outermost first, then, after '@', one distance a level, innermost first.
/// Throws Error(bad_input).
[[nodiscard]] Topology read_synthetic_tree(std::string_view description);

/// The same from numbers. `distances` is empty or has one entry for each arity.
[[nodiscard]] Topology synthetic_tree(std::span<const int> arities, std::span<const double> distances = {});

}  // namespace topowise
