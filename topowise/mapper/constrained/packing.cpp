// SPDX-License-Identifier: BSD-3-Clause
// The heaviest rank first, onto the place with most capacity left (longest processing time first, Graham 1969). That
// leaves the places even, and nearly always all ranks fit. Where they do not, places are filled to the brim instead:
// the heaviest rank first, onto the place where it leaves least capacity (best fit decreasing), and if that
// fails too, the last choices are changed, by backtracking within a number of steps. Two things keep it short: of
// places with equal capacity left one is enough, and a place that a rank fills exactly is the only one that need be
// tried for it (any packing can be changed into one with that rank there, by exchanging it with what stands there
// instead).
#include <topowise/mapper/constrained/packing.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {
namespace {

class Packing {
 public:
  explicit Packing(const MapProblem& problem) : problem_(problem), place_of_(problem.traffic.ranks(), Place(0)) {
    for (const PlaceCapacity& each : place_capacities(problem))
      left_[each.place] = static_cast<std::int64_t>(each.capacity);
    std::vector<bool> placed(place_of_.size(), false);
    for (const auto& [rank, place] : problem.fixed) {
      place_of_[rank.index()] = place;
      placed[rank.index()] = true;
      left_[place] -= load(rank.index());
    }
    for (std::size_t r = 0; r < placed.size(); ++r) {
      if (!placed[r]) order_.push_back(r);
    }
    std::ranges::stable_sort(order_, std::greater<>(), [&](std::size_t rank) { return load(rank); });
  }

  /// True if all fit.
  bool spread() {
    std::priority_queue<std::pair<std::int64_t, std::size_t>> emptiest;  // capacity left; among equals the first place
    for (const auto& [place, left] : left_) emptiest.emplace(left, ~place.index());
    bool fit = true;
    for (const std::size_t rank : order_) {
      const auto [left, place] = emptiest.top();
      emptiest.pop();
      place_of_[rank] = Place(~place);
      fit = fit && left >= load(rank);
      emptiest.emplace(left - load(rank), place);
    }
    return fit;
  }

  bool fill() {
    std::set<std::pair<std::int64_t, Place>> by_left;
    for (const auto& [place, left] : left_) by_left.emplace(left, place);
    constexpr std::size_t kDeepest = 4096;  // ranks; for more of them spread() finds some arrangement
    return order_.size() <= kDeepest && fill_from(0, by_left);
  }

  [[nodiscard]] Mapping mapping() const { return Mapping(place_of_); }

 private:
  [[nodiscard]] std::int64_t load(std::size_t rank) const { return load_of(problem_, rank); }

  bool fill_from(std::size_t at, std::set<std::pair<std::int64_t, Place>>& by_left) {
    if (at == order_.size()) return true;
    const std::int64_t mine = load(order_[at]);
    const auto next_from = [&](std::int64_t least) { return by_left.lower_bound({least, Place(0)}); };
    for (auto next = next_from(mine); next != by_left.end() && steps_left_ > 0;) {
      --steps_left_;
      const auto [left, place] = *next;
      place_of_[order_[at]] = place;
      by_left.erase(next);
      by_left.emplace(left - mine, place);
      if (fill_from(at + 1, by_left)) return true;
      by_left.erase({left - mine, place});
      by_left.emplace(left, place);
      if (left == mine) return false;
      next = next_from(left + 1);
    }
    return false;
  }

  const MapProblem& problem_;
  std::vector<Place> place_of_;         ///< by rank
  std::map<Place, std::int64_t> left_;  ///< capacity left, before any rank that is not fixed is placed
  std::vector<std::size_t> order_;      ///< ranks that are not fixed, the heaviest first
  std::size_t steps_left_ = 1'000'000;
};

}  // namespace

Mapping pack(const MapProblem& problem) {
  Packing packing(problem);
  if (packing.spread()) return packing.mapping();
  const Mapping spread = packing.mapping();
  return packing.fill() ? packing.mapping() : spread;
}

}  // namespace topowise
