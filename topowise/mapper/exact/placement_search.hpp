// SPDX-License-Identifier: BSD-3-Clause
// The common part of the depth-first searches that place one rank after the other: the best mapping so far, the
// branches that they may still look at, and the way through the children of a branch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

class PlacementSearch {
 protected:
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  static constexpr double kNothingOpen = std::numeric_limits<double>::infinity();

  /// A place for the rank that is placed next; `position` is an index of `capacities_`.
  struct Child {
    std::size_t position = 0;
    double bound = 0;
  };

  PlacementSearch(const MapProblem& problem, const Mapping& start, std::size_t branches, const Deadline& deadline);
  ~PlacementSearch() = default;

  [[nodiscard]] std::size_t position_of_place(Place place) const;
  [[nodiscard]] const MapperAnswer& answer() const { return answer_; }

  /// Counts a branch. Returns true once there is no time for another branch, and from then on.
  bool out_of_time();

  /// `below(child)` searches below a child and gives a lower bound of what it left out. From the cost `limit()` on
  /// nothing is better. Returns a lower bound of all that was left out, infinity if that is nothing.
  template <class Limit, class Below>
  double explore_children(const std::vector<Child>& children, Limit limit, Below below) {
    double open = kNothingOpen;
    for (const Child& child : children) {
      if (child.bound >= limit()) continue;
      open = std::min(open, stopped_ ? child.bound : std::max(child.bound, below(child)));
    }
    return open;
  }

  /// Takes the mapping in which all ranks are now as the best so far. The cost is computed from scratch, because the
  /// sums of a search were added to and subtracted from many times.
  void record();

  /// `open`: a lower bound of what was left out.
  MapperAnswer result(double at_least, double open);

  const MapProblem& problem_;
  std::vector<PlaceCapacity> capacities_;
  std::vector<std::size_t> position_of_;  ///< by rank

 private:
  const Deadline& deadline_;
  std::size_t branches_left_;
  bool stopped_ = false;
  MapperAnswer answer_;
};

}  // namespace topowise
