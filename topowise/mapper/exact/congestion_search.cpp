// SPDX-License-Identifier: BSD-3-Clause
// Depth-first branch and bound. A branch has some ranks placed and the bytes that they send each other laid on the
// links. Loads only grow, so the fullest link is a lower bound. A rank that is not placed yet will add at least
// what it exchanges with those that are: for each place the fullest link after that, and the smallest of these over all
// free places, is a bound too. The rank with the fewest places that still allow a better mapping is placed next. Fixed
// ranks are placed above the root; a place is free for a rank if it can bear its load.
#include <topowise/mapper/exact/congestion_search.hpp>

#include <algorithm>

#include <topowise/mapper/exact/placement_search.hpp>
#include <topowise/mapper/problem/cost_numbers.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {
namespace {

class Search final : PlacementSearch {
 public:
  Search(const MapProblem& problem, const Mapping& start, std::size_t branches, const Deadline& deadline)
      : PlacementSearch(problem, start, branches, deadline),
        partners_(problem.traffic),
        seconds_(problem.topology.links().size(), 0.0),
        added_(problem.topology.links().size(), 0.0) {
    for (const PlaceCapacity& from : capacities_) {
      for (const PlaceCapacity& to : capacities_) routes_.push_back(problem.topology.route(from.place, to.place));
    }
  }

  MapperAnswer run(double at_least) {
    double fullest = 0;
    for (const FixedRank& fixed : problem_.fixed) {
      const auto rank = static_cast<std::uint32_t>(fixed.rank.index());
      const std::size_t position = position_of_place(fixed.place);
      fullest = std::max(fullest, fullest_with(rank, position));
      settle(rank, position);
    }
    return result(at_least, answer().cost <= at_least ? kNothingOpen : explore(problem_.fixed.size(), fullest));
  }

 private:
  [[nodiscard]] double limit() const { return answer().cost * (1 - kRoundingOfSums); }

  /// Returns a lower bound of what was not searched, infinity if nothing is left.
  double explore(std::size_t placed, double fullest) {
    if (out_of_time()) return fullest;
    if (placed == position_of_.size()) {
      if (fullest < limit()) record();
      return kNothingOpen;
    }
    std::uint32_t rank = 0;
    const std::vector<Child> children = choose(fullest, rank);
    return explore_children(
        children, [&] { return limit(); },
        [&](const Child& child) {
          settle(rank, child.position);
          const double open = explore(placed + 1, child.bound);
          take_back(rank, child.position);
          return open;
        });
  }

  [[nodiscard]] std::size_t load(std::uint32_t rank) const { return static_cast<std::size_t>(load_of(problem_, rank)); }

  /// Places a rank; `capacities_` become what is left.
  void settle(std::uint32_t rank, std::size_t position) {
    lay(rank, position, [&](std::size_t link, double seconds) { seconds_[link] += seconds; });
    position_of_[rank] = position;
    capacities_[position].capacity -= load(rank);
  }

  void take_back(std::uint32_t rank, std::size_t position) {
    capacities_[position].capacity += load(rank);
    position_of_[rank] = kNowhere;
    lay(rank, position, [&](std::size_t link, double seconds) { seconds_[link] -= seconds; });
  }

  /// Chooses the rank with the fewest places left, among equals the one with the highest bound. Returns its places, the
  /// best first.
  std::vector<Child> choose(double fullest, std::uint32_t& rank) {
    std::vector<Child> fewest;
    double least_of_fewest = -1;
    bool any = false;
    for (std::uint32_t r = 0; r < position_of_.size(); ++r) {
      if (position_of_[r] != kNowhere) continue;
      std::vector<Child> children;
      double least = kNothingOpen;
      for (std::size_t position = 0; position < capacities_.size(); ++position) {
        if (capacities_[position].capacity < load(r)) continue;
        const double bound = std::max(fullest, fullest_with(r, position));
        if (bound >= limit()) continue;
        children.push_back({position, bound});
        least = std::min(least, bound);
      }
      if (any && (children.size() > fewest.size() || (children.size() == fewest.size() && least <= least_of_fewest)))
        continue;
      any = true;
      fewest = std::move(children);
      least_of_fewest = least;
      rank = r;
      if (fewest.empty()) break;
    }
    std::ranges::stable_sort(fewest, {}, &Child::bound);
    return fewest;
  }

  double fullest_with(std::uint32_t rank, std::size_t position) {
    touched_.clear();
    lay(rank, position, [&](std::size_t link, double seconds) {
      if (added_[link] == 0) touched_.push_back(link);
      added_[link] += seconds;
    });
    double fullest = 0;
    for (const std::size_t link : touched_) {
      fullest = std::max(fullest, seconds_[link] + added_[link]);
      added_[link] = 0;
    }
    return fullest;
  }

  /// Visits the links of what `rank` at `position` exchanges with the ranks that are placed.
  template <class Visit>
  void lay(std::uint32_t rank, std::size_t position, Visit visit) {
    const auto along = [&](std::size_t from, std::size_t to, double bytes) {
      if (bytes == 0) return;
      for (const LinkId link : routes_[from * capacities_.size() + to])
        visit(link.index(), bytes / problem_.topology.link(link).bandwidth.value());
    };
    for (const Partner& partner : partners_.of(Rank(rank))) {
      const std::size_t other = position_of_[partner.rank.index()];
      if (other == kNowhere) continue;
      along(position, other, partner.sent);
      along(other, position, partner.received);
    }
  }

  Partners partners_;
  std::vector<std::vector<LinkId>> routes_;
  std::vector<double> seconds_;  ///< by link
  std::vector<double> added_;
  std::vector<std::size_t> touched_;
};

}  // namespace

MapperAnswer congestion_search(const MapProblem& problem, const Mapping& start, std::size_t branches, double at_least,
                               const Deadline& deadline) {
  return Search(problem, start, branches, deadline).run(at_least);
}

}  // namespace topowise
