// SPDX-License-Identifier: BSD-3-Clause
// A machine as a tree in which every subtree pays for what its ranks exchange with the rest.
#pragma once

#include <optional>
#include <vector>

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// Both objectives are of this form on a machine that is a hierarchy. With S the ranks below a node,
/// out(S) what they send to the other ranks and in(S) what they receive from them:
///   hop-bytes:       sum over nodes of weight_out * out(S) + weight_in * in(S)
///   max congestion:  max over nodes of max(weight_out * out(S), weight_in * in(S))
/// Only the set S matters, not where in the subtree its ranks stand.
struct Hierarchy {
  struct Node {
    double weight_out = 0;
    double weight_in = 0;
    std::size_t capacity = 0;  ///< ranks that fit below
    std::vector<std::size_t> children;
    std::optional<Place> place;  ///< of a leaf
  };
  std::vector<Node> nodes;  ///< children before parents; the last is the root
  bool adds = true;         ///< true for the sum over the nodes, false for the largest
};

/// The machine of the problem as such a tree; nothing if it is none.
/// hop-bytes: pair costs that are symmetric and ultrametric, c(a, b) <= max(c(a, x), c(x, b)).
/// max congestion: links that form a tree.
[[nodiscard]] std::optional<Hierarchy> find_hierarchy(const MapProblem& problem);

}  // namespace topowise
