// SPDX-License-Identifier: BSD-3-Clause
// Ranks leave an overloaded place one by one, to the places of their partners and to those with most capacity left:
// always the one whose leaving costs least for its load. Where no rank fits anywhere, two ranks of different load
// change places. Where that fails too, all that is not fixed is packed anew (pack).
#include <topowise/mapper/constrained/balance.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>

#include <fmt/format.h>

#include <topowise/base/error.hpp>
#include <topowise/mapper/constrained/occupancy.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/objective/incremental.hpp>

namespace topowise {
namespace {

// The heaviest rank first, onto the place with most capacity left (longest processing time first, Graham 1969). That
// leaves the places even, and nearly always all ranks fit. Where they do not, places are filled to the brim instead:
// the heaviest rank first, onto the place where it leaves least capacity (best fit decreasing), and if that
// fails too, the last choices are changed, by backtracking within a number of steps. Two things keep it short: of
// places with equal capacity left one is enough, and a place that a rank fills exactly is the only one that need be
// tried for it (any packing can be changed into one with that rank there, by exchanging it with what is there
// instead).

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

class Balancing {
 public:
  Balancing(const MapProblem& problem, const Mapping& start)
      : problem_(problem),
        partners_(problem.traffic),
        all_(place_capacities(problem)),
        occupancy_(problem, start),
        usable_(problem.topology.place_count(), false),
        cost_(incremental_cost(problem.objective, problem.traffic, partners_, problem.topology, start, problem.metric,
                               problem.mix)) {
    for (const PlaceCapacity& each : all_) usable_[each.place.index()] = true;
  }

  /// False if a place stays overloaded.
  bool run() {
    for (const PlaceCapacity& each : all_) {
      while (occupancy_.capacity_left(each.place) < 0) {
        if (!move_from(each.place) && !exchange_from(each.place)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] Mapping mapping() const { return cost_->mapping(); }

 private:
  static constexpr std::size_t kFew = 16;
  struct Way {
    std::uint32_t rank;
    Place to;
    double loss;
  };

  [[nodiscard]] std::int64_t load(std::uint32_t rank) const { return load_of(problem_, rank); }

  /// A few places with the most capacity left.
  [[nodiscard]] std::vector<Place> emptiest() const {
    std::vector<Place> places;
    for (const PlaceCapacity& each : all_) places.push_back(each.place);
    const auto end = places.begin() + static_cast<std::ptrdiff_t>(std::min(kFew, places.size()));
    std::ranges::partial_sort(places, end, [&](Place a, Place b) {
      return std::pair(-occupancy_.capacity_left(a), a) < std::pair(-occupancy_.capacity_left(b), b);
    });
    places.erase(end, places.end());
    return places;
  }

  bool move_from(Place place) {
    const std::vector<Place> targets = emptiest();
    std::optional<Way> best;
    for (const std::uint32_t rank : occupancy_.ranks_on(place)) {
      const auto consider = [&](Place to) {
        if (to == place || !usable_[to.index()] || occupancy_.capacity_left(to) < load(rank)) return;
        const double loss = -cost_->move_gain(Rank(rank), to) / static_cast<double>(load(rank));
        if (!best || loss < best->loss) best = Way{rank, to, loss};
      };
      for (const Partner& partner : partners_.of(Rank(rank))) consider(cost_->place_of(partner.rank));
      for (const Place to : targets) consider(to);
    }
    if (!best) return false;
    move(best->rank, best->to);
    return true;
  }

  /// Exchanges two ranks so that `place` is relieved as much as one of the emptiest places can bear.
  bool exchange_from(Place place) {
    std::int64_t most = 0;
    std::pair<std::uint32_t, std::uint32_t> best;
    for (const Place other : emptiest()) {
      if (other == place) continue;
      for (const std::uint32_t rank : occupancy_.ranks_on(place)) {
        for (const std::uint32_t lighter : occupancy_.ranks_on(other)) {
          const std::int64_t relief = load(rank) - load(lighter);
          if (relief <= most || relief > occupancy_.capacity_left(other)) continue;
          most = relief;
          best = {rank, lighter};
        }
      }
    }
    if (most == 0) return false;
    const Place other = cost_->place_of(Rank(best.second));
    move(best.first, other);
    move(best.second, place);
    return true;
  }

  void move(std::uint32_t rank, Place to) {
    occupancy_.move(rank, cost_->place_of(Rank(rank)), to);
    cost_->move(Rank(rank), to);
  }

  const MapProblem& problem_;
  Partners partners_;
  std::vector<PlaceCapacity> all_;
  Occupancy occupancy_;
  std::vector<bool> usable_;  ///< by place
  std::unique_ptr<IncrementalCost> cost_;
};

MapProblem without_imbalance(const MapProblem& problem) {
  MapProblem even = problem;
  even.imbalance = 0.0;
  return even;
}

/// By how much the fullest place is above its share.
double imbalance_of(const MapProblem& problem, const Mapping& mapping) {
  const MapProblem even = without_imbalance(problem);
  const std::vector<std::int64_t> left = capacity_left(even, mapping);
  double most = 0;
  for (const PlaceCapacity& each : place_capacities(even))
    most = std::max(most, -static_cast<double>(left[each.place.index()]) / static_cast<double>(each.capacity));
  return most;
}

}  // namespace

Mapping pack(const MapProblem& problem) {
  Packing packing(problem);
  if (packing.spread()) return packing.mapping();
  const Mapping spread = packing.mapping();
  return packing.fill() ? packing.mapping() : spread;
}

Mapping share_in_order(const MapProblem& problem) {
  const std::vector<PlaceCapacity> all = place_capacities(without_imbalance(problem));
  std::vector<Place> places;
  std::size_t position = 0;
  double before = 0;
  auto until = static_cast<double>(all.front().capacity);
  for (std::size_t r = 0; r < problem.traffic.ranks(); ++r) {
    const double load = load_of(problem, r);
    while (before + load / 2 > until && position + 1 < all.size())
      until += static_cast<double>(all[++position].capacity);
    places.push_back(all[position].place);
    before += load;
  }
  return Mapping(std::move(places));
}

std::int64_t overload(const MapProblem& problem, const Mapping& mapping) {
  std::int64_t sum = 0;
  for (const std::int64_t here : capacity_left(problem, mapping)) sum -= std::min<std::int64_t>(here, 0);
  return sum;
}

Mapping balance(const MapProblem& problem, const Mapping& mapping) {
  if (overload(problem, mapping) == 0) return mapping;
  Balancing balancing(problem, mapping);
  if (balancing.run()) return balancing.mapping();
  Mapping packed = pack(problem);
  if (overload(problem, packed) == 0) return packed;
  throw bad_input(fmt::format("no mapping was found whose places hold at most {:g} more than their share of the load",
                              problem.imbalance.value_or(0.0)),
                  fmt::format("--imbalance {:.3f} can be kept", imbalance_of(problem, packed) + 5e-4));
}

Mapping ranks_in_order(const MapProblem& problem) {
  return problem.loads.empty() ? fill_in_order(problem) : share_in_order(problem);
}

}  // namespace topowise
