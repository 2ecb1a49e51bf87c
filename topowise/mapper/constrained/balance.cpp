// SPDX-License-Identifier: BSD-3-Clause
// Ranks leave an overloaded place one by one, to the places of their partners and to those with most room: always the
// one whose leaving costs least for its load. Where no rank fits anywhere, two ranks of different load change places.
// Where that fails too, all that is not fixed is packed anew (packing.cpp).
#include <topowise/mapper/constrained/balance.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <topowise/base/error.hpp>
#include <topowise/mapper/constrained/occupancy.hpp>
#include <topowise/mapper/constrained/packing.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/objective/incremental.hpp>

namespace topowise {
namespace {

class Balancing {
 public:
  Balancing(const MapProblem& problem, const Mapping& start)
      : problem_(problem),
        partners_(problem.traffic),
        all_(rooms(problem)),
        occupancy_(problem, start),
        usable_(problem.topology.place_count(), false),
        cost_(incremental_cost(problem.objective, problem.traffic, partners_, problem.topology, start, problem.metric,
                               problem.mix)) {
    for (const Room& room : all_) usable_[room.place.index()] = true;
  }

  /// False if a place stays overloaded.
  bool run() {
    for (const Room& room : all_) {
      while (occupancy_.room_left(room.place) < 0) {
        if (!move_from(room.place) && !exchange_from(room.place)) return false;
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

  /// A few places with the most room.
  [[nodiscard]] std::vector<Place> roomiest() const {
    std::vector<Place> places;
    for (const Room& room : all_) places.push_back(room.place);
    const auto end = places.begin() + static_cast<std::ptrdiff_t>(std::min(kFew, places.size()));
    std::ranges::partial_sort(places, end, [&](Place a, Place b) {
      return std::pair(-occupancy_.room_left(a), a) < std::pair(-occupancy_.room_left(b), b);
    });
    places.erase(end, places.end());
    return places;
  }

  bool move_from(Place place) {
    const std::vector<Place> roomy = roomiest();
    std::optional<Way> best;
    for (const std::uint32_t rank : occupancy_.ranks_on(place)) {
      const auto consider = [&](Place to) {
        if (to == place || !usable_[to.index()] || occupancy_.room_left(to) < load(rank)) return;
        const double loss = -cost_->move_gain(Rank(rank), to) / static_cast<double>(load(rank));
        if (!best || loss < best->loss) best = Way{rank, to, loss};
      };
      for (const Partner& partner : partners_.of(Rank(rank))) consider(cost_->place_of(partner.rank));
      for (const Place to : roomy) consider(to);
    }
    if (!best) return false;
    move(best->rank, best->to);
    return true;
  }

  /// The heaviest relief that one of the roomiest places can bear.
  bool exchange_from(Place place) {
    std::int64_t most = 0;
    std::pair<std::uint32_t, std::uint32_t> best;
    for (const Place other : roomiest()) {
      if (other == place) continue;
      for (const std::uint32_t rank : occupancy_.ranks_on(place)) {
        for (const std::uint32_t lighter : occupancy_.ranks_on(other)) {
          const std::int64_t relief = load(rank) - load(lighter);
          if (relief <= most || relief > occupancy_.room_left(other)) continue;
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
  std::vector<Room> all_;
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
  const std::vector<std::int64_t> left = room_left(even, mapping);
  double most = 0;
  for (const Room& room : rooms(even))
    most = std::max(most, -static_cast<double>(left[room.place.index()]) / static_cast<double>(room.capacity));
  return most;
}

}  // namespace

Mapping share_in_order(const MapProblem& problem) {
  const std::vector<Room> all = rooms(without_imbalance(problem));
  std::vector<Place> places;
  std::size_t room = 0;
  double before = 0;
  auto until = static_cast<double>(all.front().capacity);
  for (std::size_t r = 0; r < problem.traffic.ranks(); ++r) {
    const double load = load_of(problem, r);
    while (before + load / 2 > until && room + 1 < all.size()) until += static_cast<double>(all[++room].capacity);
    places.push_back(all[room].place);
    before += load;
  }
  return Mapping(std::move(places));
}

std::int64_t overload(const MapProblem& problem, const Mapping& mapping) {
  std::int64_t sum = 0;
  for (const std::int64_t room : room_left(problem, mapping)) sum -= std::min<std::int64_t>(room, 0);
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
