// SPDX-License-Identifier: BSD-3-Clause
// Ways to see a hierarchy in a machine.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise::multilevel {

using Group = std::vector<int>;  ///< indices of rooms, ascending

/// Divides a group of places into the groups of the next level down.
class Grouping {
 public:
  virtual ~Grouping() = default;
  /// At least two groups, for a group of at least two places.
  [[nodiscard]] virtual std::vector<Group> divide(const Group& group) const = 0;
};

/// Distances of all pairs of rooms, the mean of both directions, row-major.
[[nodiscard]] std::vector<double> room_distances(const MapProblem& problem, std::span<const Room> rooms);

/// By the arities of a uniform hierarchy or, without arities, the parents of the places' vertices.
[[nodiscard]] std::unique_ptr<Grouping> grouping_by_ancestors(const Topology& topology, std::span<const Room> rooms);
/// Places nearer than the largest distance of the group belong together.
[[nodiscard]] std::unique_ptr<Grouping> grouping_by_distance(std::span<const double> distances, std::size_t rooms);
/// Halves with few links between them. `deadline` must outlive the result.
[[nodiscard]] std::unique_ptr<Grouping> grouping_by_bisection(std::span<const double> distances, std::size_t rooms,
                                                              std::uint64_t seed, const Deadline& deadline);

/// True if for any three places the two largest distances are equal, so that the groups by distance are a hierarchy.
[[nodiscard]] bool is_ultrametric(std::span<const double> distances, std::size_t rooms);

}  // namespace topowise::multilevel
