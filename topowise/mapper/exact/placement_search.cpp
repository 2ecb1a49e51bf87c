// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exact/placement_search.hpp>

namespace topowise {

PlacementSearch::PlacementSearch(const MapProblem& problem, const Mapping& start, std::size_t branches,
                                 const Deadline& deadline)
    : problem_(problem),
      capacities_(place_capacities(problem)),
      position_of_(problem.traffic.ranks(), kNowhere),
      deadline_(deadline),
      branches_left_(branches),
      answer_{.mapping = start, .cost = cost_of(problem, start)} {}

std::size_t PlacementSearch::position_of_place(Place place) const {
  return static_cast<std::size_t>(std::ranges::find(capacities_, place, &PlaceCapacity::place) - capacities_.begin());
}

bool PlacementSearch::out_of_time() {
  if (stopped_ || branches_left_ == 0 || deadline_.passed()) return stopped_ = true;
  --branches_left_;
  return false;
}

void PlacementSearch::record() {
  answer_.mapping = on_places(capacities_, position_of_);
  answer_.cost = cost_of(problem_, answer_.mapping);
}

MapperAnswer PlacementSearch::result(double at_least, double open) {
  answer_.lower_bound = std::min(answer_.cost, std::max(at_least, open));
  answer_.proven_optimal = open == kNothingOpen;
  return answer_;
}

}  // namespace topowise
