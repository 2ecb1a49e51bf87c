// SPDX-License-Identifier: BSD-3-Clause
// A fixed rank that is elsewhere goes to its place. If no slot is left there, a rank of that place comes in return:
// the one whose exchange gains most. Where ranks have loads, none comes in return.
//
// On a regular hierarchy this need not cost anything: whole subtrees of equal shape can change places. Let d be the
// distance from the rank to its place. The places that are nearer to the rank than d exchange their ranks with the
// places that are nearer to its place than d. After that the rank is nearer to its place, and so on. This is done as
// long as it moves nothing that is settled already. It is undone where the cost rises, because there the machine is not
// so regular.
#include <topowise/mapper/construct/fixed_ranks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <topowise/base/error.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/predict/objective/incremental.hpp>

namespace topowise {
namespace {

constexpr std::size_t kMostBySubtrees = 64;  ///< fixed ranks; each costs a look at the whole machine
constexpr double kRounding = 1e-9;

/// Where the ranks are.
struct Standing {
  Standing(const MapProblem& problem, const Mapping& mapping)
      : place_of(mapping.places().begin(), mapping.places().end()), ranks_on(problem.topology.place_count()) {
    for (std::uint32_t r = 0; r < place_of.size(); ++r) ranks_on[place_of[r].index()].push_back(r);
  }
  std::vector<Place> place_of;                       ///< by rank
  std::vector<std::vector<std::uint32_t>> ranks_on;  ///< by place
};

class SubtreeExchange {
 public:
  SubtreeExchange(const MapProblem& problem, const Mapping& start)
      : problem_(problem), standing_(problem, start), settled_(problem.topology.place_count(), false) {
    capacity_.resize(problem.topology.place_count(), 0);
    for (const PlaceCapacity& each : place_capacities(problem)) {
      places_.push_back(each.place);
      capacity_[each.place.index()] = each.capacity;
    }
    for (const auto& [rank, place] : problem.fixed) {
      if (standing_.place_of[rank.index()] == place) settled_[place.index()] = true;
    }
  }

  Mapping run() {
    const std::size_t count = std::min(kMostBySubtrees, problem_.fixed.size());
    for (const auto& [rank, place] : std::span(problem_.fixed).first(count)) {
      approach(rank, place);
      if (standing_.place_of[rank.index()] == place) settled_[place.index()] = true;
    }
    return mapping();
  }

 private:
  [[nodiscard]] Mapping mapping() const { return Mapping(standing_.place_of); }

  /// Exchanges subtrees until the rank is there, or until nothing can be exchanged without cost.
  void approach(Rank rank, Place there) {
    double cost = cost_of(problem_, mapping());
    while (standing_.place_of[rank.index()] != there) {
      const Place here = standing_.place_of[rank.index()];
      const std::vector<Place> mine = nearer(here, there);
      const std::vector<Place> its = nearer(there, here);
      if (!can_change(mine, its)) return;
      change(mine, its);
      const double after = cost_of(problem_, mapping());
      if (after > cost * (1 + kRounding)) return change(mine, its);
      cost = after;
    }
  }

  /// Places nearer to `centre` than `outside` is, in order; the centre itself among them.
  [[nodiscard]] std::vector<Place> nearer(Place centre, Place outside) const {
    const auto distance = [&](Place to) { return problem_.topology.pair_cost(problem_.metric, centre, to); };
    const double radius = distance(outside);
    std::vector<Place> found;
    std::ranges::copy_if(places_, std::back_inserter(found),
                         [&](Place place) { return place == centre || distance(place) < radius; });
    return found;
  }

  [[nodiscard]] bool can_change(std::span<const Place> a, std::span<const Place> b) const {
    const auto settled = [&](Place place) { return bool(settled_[place.index()]); };
    const auto capacity = [&](Place place) { return capacity_[place.index()]; };
    const auto in_b = [&](Place place) { return std::ranges::find(b, place) != b.end(); };
    return std::ranges::none_of(a, settled) && std::ranges::none_of(b, settled) && std::ranges::none_of(a, in_b) &&
           std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](Place mine, Place its) { return capacity(mine) == capacity(its); });
  }

  void change(std::span<const Place> a, std::span<const Place> b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      std::swap(standing_.ranks_on[a[i].index()], standing_.ranks_on[b[i].index()]);
      for (const Place place : {a[i], b[i]}) {
        for (const std::uint32_t rank : standing_.ranks_on[place.index()]) standing_.place_of[rank] = place;
      }
    }
  }

  const MapProblem& problem_;
  Standing standing_;
  std::vector<bool> settled_;          ///< by place: a fixed rank is there
  std::vector<std::size_t> capacity_;  ///< by place
  std::vector<Place> places_;
};

class Settling {
 public:
  Settling(const MapProblem& problem, const Mapping& start)
      : problem_(problem),
        partners_(problem.traffic),
        ranks_on_(Standing(problem, start).ranks_on),
        fixed_place_of_(start.ranks()),
        capacity_(problem.topology.place_count(), 0),
        cost_(incremental_cost(problem.objective, problem.traffic, partners_, problem.topology, start, problem.metric,
                               problem.mix)) {
    for (const auto& [rank, place] : problem.fixed) fixed_place_of_[rank.index()] = place;
  }

  Mapping run() {
    for (const PlaceCapacity& each : place_capacities(problem_)) capacity_[each.place.index()] = each.capacity;
    for (const auto& [rank, there] : problem_.fixed) {
      const Place from = cost_->place_of(rank);
      if (from == there) continue;
      const bool full = ranks_on_[there.index()].size() >= capacity_[there.index()];
      const auto other = full && problem_.loads.empty() ? best_to_leave(rank, there) : std::nullopt;
      move(rank, there);
      if (other) move(*other, from);
    }
    return cost_->mapping();
  }

 private:
  /// The rank on `there` whose exchange with `rank` gains most, among those that are not fixed there.
  std::optional<Rank> best_to_leave(Rank rank, Place there) {
    std::optional<Rank> best;
    double most = 0;
    for (const std::uint32_t r : ranks_on_[there.index()]) {
      if (fixed_place_of_[r] == there) continue;
      const double gain = cost_->swap_gain(rank, Rank(r));
      if (best && gain <= most) continue;
      best = Rank(r);
      most = gain;
    }
    return best;
  }

  void move(Rank rank, Place to) {
    const auto number = static_cast<std::uint32_t>(rank.index());
    std::erase(ranks_on_[cost_->place_of(rank).index()], number);
    ranks_on_[to.index()].push_back(number);
    cost_->move(rank, to);
  }

  const MapProblem& problem_;
  Partners partners_;
  std::vector<std::vector<std::uint32_t>> ranks_on_;  ///< by place
  std::vector<std::optional<Place>> fixed_place_of_;  ///< by rank
  std::vector<std::size_t> capacity_;                 ///< by place
  std::unique_ptr<IncrementalCost> cost_;
};

}  // namespace

void check_fixed(const MapProblem& problem) {
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  std::vector<bool> seen(problem.traffic.ranks(), false);
  std::vector<std::size_t> load(problem.topology.place_count(), 0);
  for (const auto& [rank, place] : problem.fixed) {
    if (rank.index() >= seen.size())
      throw bad_input(fmt::format("rank {} is fixed, but there are only ranks 0 to {}", rank.index(), seen.size() - 1));
    if (seen[rank.index()]) throw bad_input(fmt::format("rank {} is fixed twice", rank.index()));
    seen[rank.index()] = true;
    if (place.index() >= load.size())
      throw bad_input(fmt::format("rank {} is fixed on place {}, but '{}' has only places 0 to {}", rank.index(),
                                  place.index(), problem.topology.name(), load.size() - 1));
    const auto found = std::ranges::find(all, place, &PlaceCapacity::place);
    if (found == all.end())
      throw bad_input(fmt::format("rank {} is fixed on place {}, which may not be used", rank.index(), place.index()),
                      "--allow lists the places that may be");
    load[place.index()] += static_cast<std::size_t>(load_of(problem, rank.index()));
    if (load[place.index()] > found->capacity)
      throw bad_input(fmt::format("more is fixed on place {} than it holds ({}{})", place.index(), found->capacity,
                                  problem.loads.empty() ? "" : " of load"),
                      "--ranks-per-place N or --imbalance E lets more ranks share a place");
  }
}

Mapping place_fixed(const MapProblem& problem, const Mapping& mapping) {
  const auto stands = [&](const Mapping& found) {
    return std::ranges::all_of(problem.fixed, [&](const FixedRank& each) { return found[each.rank] == each.place; });
  };
  if (stands(mapping)) return mapping;
  // Subtrees hold equal numbers of ranks, not equal loads.
  const Mapping near = problem.loads.empty() ? SubtreeExchange(problem, mapping).run() : mapping;
  return stands(near) ? near : Settling(problem, near).run();
}

}  // namespace topowise
