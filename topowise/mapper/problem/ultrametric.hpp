// SPDX-License-Identifier: BSD-3-Clause
// Distances between places, and the hierarchy that may be in them.
//
// Distances are an ultrametric if of any three places the two largest are equal: then the places nearer to each other
// than some length are groups, and these form a tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// Distances of all pairs, the mean of both directions, row-major.
[[nodiscard]] std::vector<double> pair_distances(const MapProblem& problem, std::span<const PlaceCapacity> places);

[[nodiscard]] bool is_ultrametric(std::span<const double> distances, std::size_t places);

using PlaceNumbers = std::vector<int>;  ///< ascending

/// The parts of a group of at least two places whose members are nearer to each other than the group is wide. The
/// distances must be an ultrametric: one row shows how wide it is, and one member speaks for its part.
[[nodiscard]] std::vector<PlaceNumbers> parts_by_distance(std::span<const double> distances, std::size_t places,
                                                          const PlaceNumbers& group);

struct TreeEdge {
  double length;
  std::uint32_t from;  ///< is in the tree already
  std::uint32_t to;
};

/// Prim's algorithm from place 0: edges in the order in which they join. `distance(a, b)` is symmetric.
template <class Distance>
std::vector<TreeEdge> minimum_spanning_tree(std::size_t places, const Distance& distance) {
  std::vector<TreeEdge> nearest;  // of each place outside, to the tree
  for (std::uint32_t p = 1; p < places; ++p) nearest.push_back({distance(0, p), 0, p});
  std::vector<TreeEdge> tree;
  while (!nearest.empty()) {
    std::size_t next = 0;
    for (std::size_t i = 1; i < nearest.size(); ++i) {
      if (nearest[i].length < nearest[next].length) next = i;
    }
    tree.push_back(nearest[next]);
    nearest[next] = nearest.back();
    nearest.pop_back();
    for (TreeEdge& edge : nearest) {
      const double length = distance(tree.back().to, edge.to);
      if (length < edge.length) edge = {length, tree.back().to, edge.to};
    }
  }
  return tree;
}

}  // namespace topowise
