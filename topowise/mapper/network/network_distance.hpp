// SPDX-License-Identifier: BSD-3-Clause
// What a byte costs between two places of a regular network, for searches that ask millions of times.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

class NetworkDistance {
 public:
  /// The machine must be a regular network, and outlive this.
  explicit NetworkDistance(const MapProblem& problem) : topology_(problem.topology), metric_(problem.metric) {
    const auto* grid = std::get_if<GridShape>(problem.topology.network());
    if (grid == nullptr || metric_ != Metric::distance || topology_.has_pair_matrix(metric_)) return;
    sizes_ = grid->sizes;
    closed_ = grid->closed;
    by_hops_.push_back(0);
    for (const double distance : topology_.level_distances()) by_hops_.push_back(distance);
    coordinate_.resize(topology_.place_count() * sizes_.size());
    for (std::size_t p = 0; p < topology_.place_count(); ++p) {
      std::size_t rest = p;
      for (std::size_t axis = sizes_.size(); axis-- > 0; rest /= sizes_[axis])
        coordinate_[p * sizes_.size() + axis] = static_cast<std::uint32_t>(rest % sizes_[axis]);
    }
  }

  [[nodiscard]] double operator()(Place a, Place b) const {
    if (by_hops_.empty()) return topology_.pair_cost(metric_, a, b);
    const std::size_t axes = sizes_.size();
    const std::uint32_t* from = coordinate_.data() + a.index() * axes;
    const std::uint32_t* to = coordinate_.data() + b.index() * axes;
    std::uint32_t hops = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const std::uint32_t apart = from[axis] > to[axis] ? from[axis] - to[axis] : to[axis] - from[axis];
      hops += closed_ && sizes_[axis] - apart < apart ? sizes_[axis] - apart : apart;
    }
    return by_hops_[hops];
  }

 private:
  const Topology& topology_;
  Metric metric_;
  std::vector<std::uint32_t> sizes_;
  bool closed_ = false;
  std::vector<double> by_hops_;  ///< empty where costs are no function of the hops in a grid; level h has h + 1 hops
  std::vector<std::uint32_t> coordinate_;
};

}  // namespace topowise
