// SPDX-License-Identifier: BSD-3-Clause
// Where a table of all exchanges does not exist (max congestion: every exchange changes the worth of all others) or
// would be too large, a step looks at a sample of exchanges and takes the best that is not tabu (a candidate list,
// Glover 1989). Half of the sample is drawn from all pairs, half puts a rank next to one of its partners: of many ranks
// most pairs have nothing to do with each other. A rank that was moved stays for a while; a new best is always taken.
//
// Max congestion has wide plateaus: moving a rank that does not use the fullest link changes nothing. The search
// therefore adds a small multiple of the mean square of all links (incremental.hpp), but keeps the best mapping by the
// objective itself.
//
// Where ranks have loads, a place has more slots than it can bear ranks, so that light ranks find one; an exchange that
// would overload one of its two places is passed over. Fixed ranks are never looked at.
#include <topowise/mapper/search/sampled_tabu.hpp>

#include <algorithm>
#include <limits>

#include <topowise/base/random.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/pace.hpp>
#include <topowise/predict/objective/incremental.hpp>

namespace topowise {
namespace {

constexpr double kSmoothing = 0.01;
constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

/// The place of each slot. Where ranks have loads, a place has some more slots than an even distribution needs, and at
/// least those that are taken at the start.
std::vector<Place> places_of_slots(const MapProblem& problem, const Mapping& start) {
  if (problem.loads.empty()) return slots(problem);
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  std::vector<std::size_t> taken(problem.topology.place_count(), 0);
  for (const Place place : start.places()) ++taken[place.index()];
  constexpr std::size_t kSpare = 8;
  const std::size_t usual = 2 * problem.traffic.ranks() / all.size() + kSpare;
  std::vector<Place> result;
  for (const PlaceCapacity& each : all)
    result.insert(result.end(), std::max(taken[each.place.index()], std::min(usual, each.capacity)), each.place);
  return result;
}

class Search {
 public:
  Search(const MapProblem& problem, const Mapping& start, const SampledTabuLimits& limits)
      : problem_(problem),
        limits_(limits),
        random_(limits.seed),
        partners_(problem.traffic),
        place_of_slot_(places_of_slots(problem, start)),
        rank_on_(place_of_slot_.size(), kNoRank),
        slot_of_(to_slots(place_of_slot_, start)),
        tabu_until_(start.ranks(), 0),
        capacity_left_(capacity_left(problem, start)),
        fixed_(start.ranks(), false),
        cost_(incremental_cost(problem.objective, problem.traffic, partners_, problem.topology, start, problem.metric,
                               problem.mix, kSmoothing)),
        best_{start, cost_of(problem, start)} {
    for (std::uint32_t r = 0; r < start.ranks(); ++r) rank_on_[slot_of_[r]] = r;
    for (const FixedRank& fixed : problem.fixed) fixed_[fixed.rank.index()] = true;
  }

  MapperAnswer run(const Deadline& deadline) {
    if (place_of_slot_.size() < 2 || problem_.fixed.size() == slot_of_.size()) return best_;
    const std::size_t sample = std::clamp<std::size_t>(slot_of_.size(), 8, 128);
    const std::size_t steps = limits_.gains / sample;
    double least = cost_->cost();
    for (std::size_t step = 1; step <= steps && best_.cost > limits_.target; ++step) {
      if (deadline.passed()) break;
      const Exchange chosen = choose(sample, step, least);
      if (chosen.gain == -std::numeric_limits<double>::infinity()) continue;
      if (chosen.gain <= 0) keep_if_best();
      apply(chosen, step);
      improved_ = improved_ || cost_->cost() < least;
      least = std::min(least, cost_->cost());
    }
    keep_if_best();
    return best_;
  }

 private:
  struct Exchange {
    std::uint32_t rank = 0;
    std::uint32_t slot = 0;
    double gain = -std::numeric_limits<double>::infinity();
  };

  /// Looks only at the last mapping of a descent, because a look costs a pass over all traffic.
  void keep_if_best() {
    if (!improved_) return;
    improved_ = false;
    const Mapping here = cost_->mapping();
    const double cost = cost_of(problem_, here);
    if (cost < best_.cost) best_ = {here, cost};
  }

  std::uint32_t below(std::size_t bound) { return random_.below(static_cast<std::uint32_t>(bound)); }

  Exchange candidate() {
    const std::uint32_t rank = below(slot_of_.size());
    const std::span<const Partner> partners = partners_.of(Rank(rank));
    if (partners.empty() || below(2) == 0) return {.rank = rank, .slot = below(rank_on_.size())};
    constexpr std::uint32_t kReach = 4;
    const std::uint32_t near = slot_of_[partners[below(partners.size())].rank.index()];
    const std::size_t shifted = near + rank_on_.size() + below(2 * kReach + 1) - kReach;
    return {.rank = rank, .slot = static_cast<std::uint32_t>(shifted % rank_on_.size())};
  }

  [[nodiscard]] std::int64_t load(std::uint32_t rank) const { return rank == kNoRank ? 0 : load_of(problem_, rank); }

  [[nodiscard]] bool is_allowed(const Exchange& exchange) const {
    const Place from = place_of_slot_[slot_of_[exchange.rank]];
    const Place to = place_of_slot_[exchange.slot];
    const std::uint32_t other = rank_on_[exchange.slot];
    if (from == to || fixed_[exchange.rank] || (other != kNoRank && fixed_[other])) return false;
    const std::int64_t more = load(exchange.rank) - load(other);
    return capacity_left_[to.index()] >= more && capacity_left_[from.index()] >= -more;
  }

  [[nodiscard]] double gain(const Exchange& exchange) {
    const std::uint32_t other = rank_on_[exchange.slot];
    return other == kNoRank ? cost_->move_gain(Rank(exchange.rank), place_of_slot_[exchange.slot])
                            : cost_->swap_gain(Rank(exchange.rank), Rank(other));
  }

  Exchange choose(std::size_t sample, std::size_t step, double least) {
    Exchange best;
    for (std::size_t k = 0; k < sample; ++k) {
      Exchange exchange = candidate();
      if (!is_allowed(exchange)) continue;
      exchange.gain = gain(exchange);
      const std::uint32_t other = rank_on_[exchange.slot];
      const bool tabu = tabu_until_[exchange.rank] >= step || (other != kNoRank && tabu_until_[other] >= step);
      if (tabu && cost_->cost() - exchange.gain >= least) continue;
      if (exchange.gain > best.gain) best = exchange;
    }
    return best;
  }

  void apply(const Exchange& exchange, std::size_t step) {
    const std::uint32_t other = rank_on_[exchange.slot];
    const std::uint32_t from = slot_of_[exchange.rank];
    const std::int64_t more = load(exchange.rank) - load(other);
    capacity_left_[place_of_slot_[exchange.slot].index()] -= more;
    capacity_left_[place_of_slot_[from].index()] += more;
    const std::size_t until = step + 2 + below(slot_of_.size() / 4 + 2);
    if (other == kNoRank) {
      cost_->move(Rank(exchange.rank), place_of_slot_[exchange.slot]);
    } else {
      cost_->swap(Rank(exchange.rank), Rank(other));
      slot_of_[other] = from;
      tabu_until_[other] = until;
    }
    rank_on_[from] = other;
    rank_on_[exchange.slot] = exchange.rank;
    slot_of_[exchange.rank] = exchange.slot;
    tabu_until_[exchange.rank] = until;
  }

  const MapProblem& problem_;
  SampledTabuLimits limits_;
  Random random_;
  Partners partners_;
  std::vector<Place> place_of_slot_;
  std::vector<std::uint32_t> rank_on_;  ///< by slot
  std::vector<std::uint32_t> slot_of_;  ///< by rank
  std::vector<std::size_t> tabu_until_;
  std::vector<std::int64_t> capacity_left_;  ///< by place
  std::vector<bool> fixed_;                  ///< by rank
  std::unique_ptr<IncrementalCost> cost_;
  MapperAnswer best_;
  bool improved_ = false;  ///< since the last look at the objective itself
};

}  // namespace

SampledTabuLimits sampled_tabu_limits(const MapProblem& problem, const Budget& budget, double target) {
  return {.gains = budget.steps(pace::kSampledGains), .target = target, .seed = problem.seed};
}

MapperAnswer sampled_tabu(const MapProblem& problem, const Mapping& start, const SampledTabuLimits& limits,
                          const Deadline& deadline) {
  return Search(problem, start, limits).run(deadline);
}

}  // namespace topowise
