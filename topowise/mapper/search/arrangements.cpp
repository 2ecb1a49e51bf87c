// SPDX-License-Identifier: BSD-3-Clause
// Ranks are placed one after the other. Where two groups of places that are alike are both empty, a rank that went into
// the later one would begin the same mappings, with the two groups exchanged, as in the earlier one: these are left
// out. The first of all mappings that are alike, in the order of their places, is never left out, because such an
// exchange would give one before it.
#include <topowise/mapper/search/arrangements.hpp>

#include <algorithm>

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {
namespace {

class Counter final : public ArrangementVisitor {
 public:
  explicit Counter(std::size_t most) : most_(most) {}
  bool visit(const std::vector<Place>& /*places*/) override { return ++seen <= most_; }
  std::size_t seen = 0;

 private:
  std::size_t most_;
};

}  // namespace

Arrangements::Arrangements(const MapProblem& problem)
    : left_(problem.topology.place_count(), 0),
      fixed_(problem.fixed),
      place_of_(problem.traffic.ranks()),
      groups_of_(problem.topology.place_count()),
      earlier_(problem.topology.place_count()) {
  std::vector<std::size_t> position(problem.topology.place_count(), 0);
  for (const PlaceCapacity& each : place_capacities(problem)) {
    position[each.place.index()] = usable_.size();
    usable_.push_back(each.place);
    left_[each.place.index()] = each.capacity;
  }
  for (const AlikeGroups& alike : alike_groups(problem)) {
    const std::size_t first = group_number(alike.first);
    const std::size_t second = group_number(alike.second);
    for (std::size_t i = 0; i < alike.first.size(); ++i) {
      const std::size_t a = alike.first[i].index();
      const std::size_t b = alike.second[i].index();
      if (position[a] < position[b]) {
        earlier_[b].push_back({second, first});
      } else {
        earlier_[a].push_back({first, second});
      }
    }
  }
  std::vector<bool> fixed(problem.traffic.ranks(), false);
  for (const FixedRank& each : problem.fixed) {
    fixed[each.rank.index()] = true;
    put(each.rank.index(), each.place);
  }
  for (std::size_t rank = 0; rank < fixed.size(); ++rank)
    if (!fixed[rank]) movable_.push_back(rank);
}

bool Arrangements::each(ArrangementVisitor& visitor) {
  for (const FixedRank& fixed : fixed_) (void)visitor.put(fixed.rank.index(), fixed.place);
  return each_from(0, visitor);
}

std::size_t Arrangements::count(std::size_t most) {
  Counter counter(most);
  each(counter);
  return counter.seen;
}

std::size_t Arrangements::group_number(const std::vector<Place>& places) {
  const auto found = std::ranges::find(groups_, places);
  if (found != groups_.end()) return static_cast<std::size_t>(found - groups_.begin());
  for (const Place place : places) groups_of_[place.index()].push_back(groups_.size());
  groups_.push_back(places);
  ranks_in_.push_back(0);
  return groups_.size() - 1;
}

bool Arrangements::is_like_an_earlier(Place place) const {
  return std::ranges::any_of(earlier_[place.index()], [&](const Earlier& each) {
    return ranks_in_[each.own_group] == 0 && ranks_in_[each.other_group] == 0;
  });
}

void Arrangements::put(std::size_t rank, Place place) {
  place_of_[rank] = place;
  --left_[place.index()];
  for (const std::size_t group : groups_of_[place.index()]) ++ranks_in_[group];
}

void Arrangements::take_away(std::size_t rank) {
  const Place place = place_of_[rank];
  ++left_[place.index()];
  for (const std::size_t group : groups_of_[place.index()]) --ranks_in_[group];
}

bool Arrangements::each_from(std::size_t position, ArrangementVisitor& visitor) {
  if (position == movable_.size()) return visitor.visit(place_of_);
  const std::size_t rank = movable_[position];
  for (const Place place : usable_) {
    if (left_[place.index()] == 0 || is_like_an_earlier(place)) continue;
    put(rank, place);
    const bool goes_on = !visitor.put(rank, place) || each_from(position + 1, visitor);
    visitor.take_away();
    take_away(rank);
    if (!goes_on) return false;
  }
  return true;
}

}  // namespace topowise
