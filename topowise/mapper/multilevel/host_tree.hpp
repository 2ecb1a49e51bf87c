// SPDX-License-Identifier: BSD-3-Clause
// Ways to see a hierarchy in a machine.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/map_problem.hpp>
#include <topowise/mapper/problem/ultrametric.hpp>

namespace topowise::multilevel {

/// Divides a group of places into the groups of the next level down.
class Grouping {
 public:
  virtual ~Grouping() = default;
  /// Returns at least two groups, for a group of at least two places.
  [[nodiscard]] virtual std::vector<PlaceNumbers> divide(const PlaceNumbers& group) const = 0;
};

/// Divides by the arities of a uniform hierarchy or, without arities, by the parents of the places' vertices.
[[nodiscard]] std::unique_ptr<Grouping> grouping_by_ancestors(const Topology& topology,
                                                              std::span<const PlaceCapacity> places);
/// Keeps places together that are nearer than the largest distance of the group.
[[nodiscard]] std::unique_ptr<Grouping> grouping_by_distance(std::span<const double> distances, std::size_t places);
/// Divides into halves with few links between them. `deadline` must outlive the result.
[[nodiscard]] std::unique_ptr<Grouping> grouping_by_bisection(std::span<const double> distances, std::size_t places,
                                                              std::uint64_t seed, const Deadline& deadline);

}  // namespace topowise::multilevel
