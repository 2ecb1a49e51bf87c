// SPDX-License-Identifier: BSD-3-Clause
// Where places are nearly full, a rank can hardly ever move, and can seldom change places with a single other one,
// because their loads would have to be the same. But there are many small groups of equal load. So an exchange takes
// one or two ranks of one place against none, one or two of another, such that both places can bear what they get. A
// rank that should be on the place of a partner thus nearly always finds something to change with.
//
// Which exchanges are made is decided by simulated annealing (Kirkpatrick, Gelatt and Vecchi, Science 220, 1983): one
// that costs something is accepted with probability exp(-loss / temperature). The start comes from a search over the
// whole problem and shall be improved, not destroyed; so the first temperature is a fraction of the usual loss.
#include <topowise/mapper/constrained/load_annealing.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <topowise/base/random.hpp>
#include <topowise/mapper/constrained/occupancy.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/pace.hpp>
#include <topowise/mapper/search/search_rounds.hpp>
#include <topowise/predict/objective/incremental.hpp>

namespace topowise {
namespace {

constexpr double kSmoothing = 0.01;  // of max congestion, as in sampled_tabu.cpp
constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

/// At most two ranks of one place.
struct Group {
  std::array<std::uint32_t, 2> rank{kNoRank, kNoRank};
  std::int64_t load = 0;
};

class Annealing {
 public:
  Annealing(const MapProblem& problem, const Mapping& start)
      : problem_(problem),
        random_(problem.seed),
        partners_(problem.traffic),
        all_(place_capacities(problem)),
        position_of_(problem.topology.place_count(), 0),
        occupancy_(problem, start),
        cost_(incremental_cost(problem.objective, problem.traffic, partners_, problem.topology, start, problem.metric,
                               problem.mix, kSmoothing)),
        best_{start, cost_of(problem, start)} {
    for (std::size_t i = 0; i < all_.size(); ++i) position_of_[all_[i].place.index()] = i;
  }

  MapperAnswer run(std::size_t trials, const Deadline& deadline) {
    if (occupancy_.free_ranks().empty() || all_.size() < 2) return best_;
    const double loss = usual_loss();
    for (const double hottest : kHottest) {
      cool(hottest * loss, trials / kHottest.size(), deadline);
      Mapping cold = cost_->mapping();
      if (const double cost = cost_of(problem_, cold); cost < best_.cost) {
        best_ = {std::move(cold), cost};
      } else {
        go_back();
      }
    }
    return best_;
  }

 private:
  /// The first temperature of each search, one search after the other, as a share of the mean loss of a move. Small
  /// problems gain by the hot search, large ones by the search that leaves their form as it is.
  static constexpr std::array<double, 2> kHottest{0.8, 0.2};
  static constexpr double kColdest = 0.02;  ///< last temperature, as a share of the first
  static constexpr std::size_t kMostLookedAt = 12;

  [[nodiscard]] std::int64_t load(std::uint32_t rank) const { return load_of(problem_, rank); }
  std::uint32_t below(std::size_t bound) { return random_.below(static_cast<std::uint32_t>(bound)); }

  void cool(double hottest, std::size_t trials, const Deadline& deadline) {
    constexpr std::size_t kLookAtClock = 255;
    for (std::size_t trial = 0; trial < trials; ++trial) {
      if ((trial & kLookAtClock) == 0 && deadline.passed()) break;
      temperature_ = hottest * std::pow(kColdest, static_cast<double>(trial) / static_cast<double>(trials));
      exchange();
    }
  }

  /// Returns to the best mapping.
  void go_back() {
    for (const std::uint32_t rank : occupancy_.free_ranks()) {
      const Place home = best_.mapping[Rank(rank)];
      if (cost_->place_of(Rank(rank)) != home) move({{rank, kNoRank}, load(rank)}, home);
    }
  }

  /// The mean loss of a sample of moves that lose; no move is made.
  double usual_loss() {
    constexpr int kSample = 512;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < kSample; ++i) {
      const std::uint32_t rank = any_rank();
      const double gain = cost_->move_gain(Rank(rank), destination(rank));
      if (gain >= 0) continue;
      sum -= gain;
      ++count;
    }
    return count > 0 ? sum / count : 0.0;
  }

  /// The place of a partner, a place near it in the order of places, or any place.
  Place destination(std::uint32_t rank) {
    const std::span<const Partner> partners = partners_.of(Rank(rank));
    constexpr std::uint32_t kAnyInstead = 16;
    if (partners.empty() || below(kAnyInstead) == 0) return all_[below(all_.size())].place;
    const Place near = cost_->place_of(partners[below(partners.size())].rank);
    if (below(2) == 0) return near;
    constexpr std::uint32_t kReach = 4;
    return all_[(position_of_[near.index()] + all_.size() + below(2 * kReach + 1) -
                 std::min<std::size_t>(kReach, all_.size())) %
                all_.size()]
        .place;
  }

  /// `rank`, and sometimes another one of its place.
  Group leaving(std::uint32_t rank) {
    Group group{.rank = {rank, kNoRank}, .load = load(rank)};
    const std::span<const std::uint32_t> here = occupancy_.ranks_on(cost_->place_of(Rank(rank)));
    constexpr std::uint32_t kAloneInstead = 3;
    const std::uint32_t other = here[below(here.size())];
    if (other == rank || below(kAloneInstead) != 0) return group;
    group.rank[1] = other;
    group.load += load(other);
    return group;
  }

  /// Draws a group of ranks of `place` whose load is from `least` to `most`, from a sample of such groups. Returns
  /// false if none fits.
  bool draw_return(Place place, std::int64_t least, std::int64_t most, Group& drawn) {
    const std::span<const std::uint32_t> there = occupancy_.ranks_on(place);
    const std::size_t count = std::min(there.size(), kMostLookedAt);
    const std::size_t first = there.empty() ? 0 : below(there.size());
    std::uint32_t fitting = 0;
    const auto consider = [&](const Group& group) {
      if (group.load < least || group.load > most) return;
      if (below(++fitting) == 0) drawn = group;
    };
    consider({});
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t one = there[(first + i) % there.size()];
      consider({{one, kNoRank}, load(one)});
      for (std::size_t j = 0; j < i; ++j) {
        const std::uint32_t two = there[(first + j) % there.size()];
        consider({{one, two}, load(one) + load(two)});
      }
    }
    return fitting > 0;
  }

  void exchange() {
    const std::uint32_t rank = any_rank();
    const Place from = cost_->place_of(Rank(rank));
    const Place to = destination(rank);
    if (to == from) return;
    const Group going = leaving(rank);
    Group coming;
    if (!draw_return(to, going.load - occupancy_.capacity_left(to), going.load + occupancy_.capacity_left(from),
                     coming))
      return;
    if (going.rank[1] == kNoRank && coming.rank[1] == kNoRank) return exchange_single(rank, to, coming);
    const double before = cost_->cost();
    move(going, to);
    move(coming, from);
    if (accepts(before - cost_->cost())) return;
    move(coming, to);
    move(going, from);
  }

  /// Exchanges one rank against one or none: here the gain is known before anything is moved.
  void exchange_single(std::uint32_t rank, Place to, const Group& coming) {
    const std::uint32_t other = coming.rank[0];
    const double gain = other == kNoRank ? cost_->move_gain(Rank(rank), to) : cost_->swap_gain(Rank(rank), Rank(other));
    if (!accepts(gain)) return;
    const Place from = cost_->place_of(Rank(rank));
    move({{rank, kNoRank}, load(rank)}, to);
    move(coming, from);
  }

  std::uint32_t any_rank() { return occupancy_.free_ranks()[below(occupancy_.free_ranks().size())]; }

  bool accepts(double gain) {
    return gain >= 0 || (temperature_ > 0 && random_.unit() < std::exp(gain / temperature_));
  }

  void move(const Group& group, Place to) {
    for (const std::uint32_t rank : group.rank) {
      if (rank == kNoRank) continue;
      occupancy_.move(rank, cost_->place_of(Rank(rank)), to);
      cost_->move(Rank(rank), to);
    }
  }

  const MapProblem& problem_;
  Random random_;
  Partners partners_;
  std::vector<PlaceCapacity> all_;
  std::vector<std::size_t> position_of_;  ///< by place: its position in all_
  Occupancy occupancy_;
  std::unique_ptr<IncrementalCost> cost_;
  MapperAnswer best_;
  double temperature_ = 0;
};

double trials_per_second(const MapProblem& problem) {
  if (problem.objective != Objective::hop_bytes) return pace::kCongestionTrials;
  const double partners = 2 * static_cast<double>(problem.traffic.entries().size()) /
                          std::max(1.0, static_cast<double>(problem.traffic.ranks()));
  return pace::kLoadTrials / (1 + partners / pace::kPartnersOfTrial);
}

}  // namespace

MapperAnswer load_annealing(const MapProblem& problem, const Mapping& start, const Budget& budget) {
  return Annealing(problem, start).run(budget.steps(trials_per_second(problem)), budget.deadline());
}

MapperAnswer anneal_in_rounds(const MapProblem& problem, const Mapping& start, const Budget& budget) {
  BestAnswer best(problem, budget, {.mapping = start, .cost = cost_of(problem, start)});
  MapperAnswer from = best.best();
  rounds::run(budget, best, [&](const Budget& round) {
    MapperAnswer next = load_annealing(problem, from.mapping, round);
    if (next.cost < from.cost) from = next;
    return next;
  });
  return std::move(best).result();
}

}  // namespace topowise
