// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// Which of the ranks that may move are on each place, and what load it can still bear, while they move.
class Occupancy {
 public:
  /// `problem` must outlive this.
  Occupancy(const MapProblem& problem, const Mapping& start);

  /// The ranks that are not fixed, in order.
  [[nodiscard]] std::span<const std::uint32_t> free_ranks() const { return free_; }
  /// The ranks on a place that are not fixed, in no particular order.
  [[nodiscard]] std::span<const std::uint32_t> ranks_on(Place place) const { return ranks_on_[place.index()]; }
  /// The load that a place can still bear; below 0 where it is overloaded.
  [[nodiscard]] std::int64_t capacity_left(Place place) const { return capacity_left_[place.index()]; }
  void move(std::uint32_t rank, Place from, Place to);

 private:
  const MapProblem& problem_;
  std::vector<std::uint32_t> free_;
  std::vector<std::vector<std::uint32_t>> ranks_on_;  ///< by place
  std::vector<std::int64_t> capacity_left_;           ///< by place
};

}  // namespace topowise
