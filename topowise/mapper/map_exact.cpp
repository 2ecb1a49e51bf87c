// SPDX-License-Identifier: BSD-3-Clause
// Four searches under one name.
//
// - A machine that is a hierarchy, and at most 20 ranks: dynamic programming over sets of ranks (subset_mapping.cpp),
//   for both objectives. 16 ranks on 16 places take milliseconds whatever the traffic is.
// - A hierarchy of a few compute nodes that are alike, up to 8 places in each and 64 in all, for hop-bytes: sets of
//   ranks that may fill a node, and prices of ranks (group_mapping.cpp). Ranks that send nothing take the places that
//   stay empty. 32 ranks on 4 nodes take seconds.
// - hop-bytes elsewhere: branch and bound on the quadratic assignment problem (branch_and_bound.cpp); for loads that
//   leave many arrangements with a bound that takes less time (exact/load_search.cpp).
// - max congestion elsewhere: branch and bound on link loads (Search, below).
//
// All start from what a short local search finds. The last two are any-time: at their end they give the best mapping
// and the bound that is proven by then. All but the second keep fixed ranks, and loads of ranks.
#include <topowise/mapper/problem/mapper_functions.hpp>

#include <algorithm>
#include <numeric>

#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/mapper/constrained/constrained_slots.hpp>
#include <topowise/mapper/construct/fixed_ranks.hpp>
#include <topowise/mapper/exact/branch_and_bound.hpp>
#include <topowise/mapper/exact/group_mapping.hpp>
#include <topowise/mapper/exact/k_subsets.hpp>
#include <topowise/mapper/exact/load_search.hpp>
#include <topowise/mapper/exact/placement_search.hpp>
#include <topowise/mapper/exact/subset_mapping.hpp>
#include <topowise/mapper/problem/best_answer.hpp>
#include <topowise/mapper/problem/cost_numbers.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/pace.hpp>
#include <topowise/mapper/search/improve.hpp>
#include <topowise/mapper/search/robust_tabu.hpp>
#include <topowise/mapper/search/sampled_tabu.hpp>
#include <topowise/predict/objective/partners.hpp>

namespace topowise {
namespace {

// Exact search for the least max congestion on a machine of any form.
// Depth-first branch and bound. A branch has some ranks placed and the bytes that they send each other laid on the
// links. Loads only grow, so the fullest link is a lower bound. A rank that is not placed yet will add at least
// what it exchanges with those that are: for each place the fullest link after that, and the smallest of these over all
// free places, is a bound too. The rank with the fewest places that still allow a better mapping is placed next. Fixed
// ranks are placed above the root; a place is free for a rank if it can bear its load.

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

/// Starts from a known mapping that keeps fixed ranks and loads. Ends with an optimal one of those mappings or, after
/// that many `branches` or at the deadline, with the best one found and a lower bound, which is never below `at_least`.
MapperAnswer congestion_search(const MapProblem& problem, const Mapping& start, std::size_t branches, double at_least,
                               const Deadline& deadline) {
  return Search(problem, start, branches, deadline).run(at_least);
}

// The length of the search for a start, for each pair of ranks. It does not depend on the time, so that with more time
// the proof does not begin from another start.
constexpr double kSecondsForPair = 1e-3;
constexpr double kGainsForPair = 10;  // where it keeps constraints

/// The result of a search by exchanges that keeps constraints. It gets less time than the search that begins there,
/// because it is worth less.
MapperAnswer constrained_start(const MapProblem& problem, double at_least, const Budget& budget) {
  const auto ranks = static_cast<double>(problem.traffic.ranks());
  const Mapping kept = balance(problem, place_fixed(problem, ranks_in_order(problem)));
  const SampledTabuLimits limits{
      .gains = static_cast<std::size_t>(kGainsForPair * ranks * ranks), .target = at_least, .seed = problem.seed};
  return sampled_tabu(problem, kept, limits, budget.deadline());
}

/// The budget of the local search before a proof.
Budget searching(const MapProblem& problem, const Budget& budget) {
  const auto ranks = static_cast<double>(problem.traffic.ranks());
  return budget.counting(Seconds(kSecondsForPair * ranks * ranks));
}

MapperAnswer free_start(const MapProblem& problem, double at_least, const Budget& budget) {
  return improve(problem, fill_in_order(problem), searching(problem, budget), at_least);
}

MapperAnswer first_found(const MapProblem& problem, double at_least, const Budget& budget) {
  MapperAnswer found =
      is_constrained(problem) ? constrained_start(problem, at_least, budget) : free_start(problem, at_least, budget);
  found.lower_bound = at_least;
  found.proven_optimal = found.cost <= at_least;
  return found;
}

std::optional<Hierarchy> hierarchy_for_subsets(const MapProblem& problem, const Budget& budget) {
  if (problem.traffic.ranks() > kMostSubsetRanks) return std::nullopt;
  std::optional<Hierarchy> machine = find_hierarchy(problem);
  if (machine && subset_mapping_work(*machine, problem) > budget.work() * pace::kSplits) machine.reset();
  return machine;
}

/// True if the tables take about as long as the local search that might make them needless.
bool are_quick(const Hierarchy& machine, const MapProblem& problem, const Budget& budget) {
  constexpr double kAbout = 2;
  return !is_constrained(problem) &&
         subset_mapping_work(machine, problem) <= kAbout * searching(problem, budget).work() * pace::kSplits;
}

/// The answer of subset_mapping(), or of local search where time runs out. Local search comes first, because it needs
/// no tables where it meets the bound. Quick tables come before it: where their optimum is above the bound, nothing
/// meets that. The answer is the same in either order.
MapperAnswer by_subsets(const MapProblem& problem, const Hierarchy& machine, double at_least, const Budget& budget) {
  std::optional<MapperAnswer> optimum;
  const auto fill_tables = [&] {
    std::optional<Mapping> best = subset_mapping(machine, problem, budget.deadline());
    if (!best) return;
    const double cost = cost_of(problem, *best);
    optimum = MapperAnswer{.mapping = *std::move(best), .cost = cost, .lower_bound = cost, .proven_optimal = true};
  };
  const bool first = are_quick(machine, problem, budget);
  if (first) fill_tables();
  if (optimum && optimum->cost > at_least) return *std::move(optimum);
  MapperAnswer found = first_found(problem, at_least, budget);
  if (!found.proven_optimal && !first) fill_tables();
  if (optimum && !found.proven_optimal) return *std::move(optimum);
  return found;
}

SlotOfRank start_of_relaxation(const MapProblem& problem, const Instance& instance, double at_least,
                               const Budget& budget) {
  if (is_constrained(problem))
    return to_slots(instance.place_of_slot, constrained_start(problem, at_least, budget).mapping, problem.fixed);
  SlotOfRank in_order(instance.ranks);
  std::iota(in_order.begin(), in_order.end(), 0U);
  const auto size = std::max(1.0, static_cast<double>(instance.ranks * instance.slots));
  const ExchangeLimits limits{
      .iterations = static_cast<std::size_t>(100 + 10 * size), .target = at_least, .seed = problem.seed};
  return robust_tabu(instance, in_order, limits, budget.deadline()).slot_of_rank;
}

MapperAnswer by_relaxation(const MapProblem& problem, std::vector<Place> slots, double at_least, const Budget& budget) {
  const Instance instance = make_instance(problem, std::move(slots));
  const double size = static_cast<double>(instance.ranks * instance.slots);
  SearchResult result{.slot_of_rank = start_of_relaxation(problem, instance, at_least, budget),
                      .lower_bound = at_least};
  result.cost = instance.cost_of(result.slot_of_rank);
  if (result.cost > at_least && instance.ranks * instance.slots <= kLargestRelaxation) {
    const std::size_t branches = budget.steps(pace::kRelaxationEntries / (size * size)) + 1;
    const Restrictions kept = restrictions(problem, result.slot_of_rank);
    result = branch_and_bound(instance, kept, std::move(result.slot_of_rank), branches, budget.deadline());
    result.lower_bound = std::max(result.lower_bound, at_least);
  }
  return {.mapping = to_mapping(instance.place_of_slot, result.slot_of_rank),
          .cost = result.cost,
          .lower_bound = std::min(result.lower_bound, result.cost),
          .proven_optimal = result.lower_bound >= result.cost};
}

/// The problem with additional ranks that send nothing, for the places that stay empty.
MapProblem filled(const MapProblem& problem, std::size_t places) {
  MapProblem result = problem;
  result.traffic = Traffic::from_entries(places, {problem.traffic.entries().begin(), problem.traffic.entries().end()});
  return result;
}

Mapping first_ranks(const Mapping& mapping, std::size_t ranks) {
  const auto places = mapping.places();
  return Mapping({places.begin(), places.begin() + static_cast<std::ptrdiff_t>(ranks)});
}

/// The answer for a machine whose compute nodes are alike; nothing where group_mapping() does not apply or takes too
/// long.
std::optional<MapperAnswer> by_groups(const MapProblem& problem, double at_least, const Budget& budget) {
  constexpr double kShareOfTables = 0.5;
  constexpr double kLeastRounds = 30;
  if (problem.objective != Objective::hop_bytes || is_constrained(problem)) return std::nullopt;
  const std::optional<Hierarchy> machine = find_hierarchy(problem);
  const std::size_t places = machine ? machine->nodes.back().capacity : 0;
  const std::optional<GroupPlan> plan = machine ? plan_groups(*machine, places) : std::nullopt;
  if (!plan || plan->work > budget.work() * kShareOfTables * pace::kSplits ||
      plan->sets * kLeastRounds > budget.work() * pace::kPricedSets)
    return std::nullopt;
  const MapProblem full = filled(problem, places);
  const Instance instance = make_instance(full);
  SlotOfRank start = start_of_relaxation(full, instance, at_least, budget);
  const double cost = instance.cost_of(start);
  MapperAnswer found{.mapping = to_mapping(instance.place_of_slot, start),
                     .cost = cost,
                     .lower_bound = std::min(at_least, cost),
                     .proven_optimal = cost <= at_least};
  if (!found.proven_optimal) found = group_mapping(*machine, *plan, full, found, instance.step, budget);
  found.mapping = first_ranks(found.mapping, problem.traffic.ranks());
  return found;
}

/// The prices that a branch looks at: for each rank and place, all ranks and places.
double prices_of_branch(const MapProblem& problem) {
  const auto ranks = static_cast<double>(problem.traffic.ranks());
  const auto places = static_cast<double>(place_capacities(problem).size());
  return ranks * places * (ranks + places);
}

/// Where ranks have loads, a relaxation needs a slot for all ranks that a place might hold. If those are many, its
/// branches are too few.
bool by_load_search(const MapProblem& problem) {
  constexpr std::size_t kFewSlots = 24;
  constexpr double kMostPrices = 1e7;
  return problem.objective == Objective::hop_bytes && !problem.loads.empty() &&
         slots_to_bear(problem).size() > kFewSlots && prices_of_branch(problem) <= kMostPrices;
}

/// False where too many sets of ranks may fill a compute node.
bool has_group_plan(const MapProblem& problem) {
  if (is_constrained(problem) || problem.traffic.ranks() > KSubsets::kMostRanks) return false;
  const std::optional<Hierarchy> machine = find_hierarchy(problem);
  return machine && plan_groups(*machine, problem.traffic.ranks());
}

}  // namespace

bool suits_exact(const MapProblem& problem) {
  if (problem.objective == Objective::mix) return false;
  if (problem.traffic.ranks() <= kMostSubsetRanks) return true;
  if (problem.objective != Objective::hop_bytes) return false;
  return problem.traffic.ranks() * slots_to_bear(problem).size() <= kLargestRelaxation || has_group_plan(problem);
}

MapperAnswer map_exact(const MapProblem& problem, const Budget& budget) {
  double at_least = quick_lower_bound(is_constrained(problem) ? relaxed(problem) : problem);
  if (const std::optional<Hierarchy> machine = hierarchy_for_subsets(problem, budget))
    return by_subsets(problem, *machine, at_least, budget);
  const std::optional<MapperAnswer> groups = by_groups(problem, at_least, budget);
  if (groups && groups->proven_optimal) return *groups;
  if (groups) at_least = std::max(at_least, groups->lower_bound);
  if (problem.objective == Objective::hop_bytes && !by_load_search(problem)) {
    constexpr std::size_t kLargestInstance = 2048;  // slots: beyond that the matrices do not fit
    std::vector<Place> all = slots_to_bear(problem);
    if (all.size() <= kLargestInstance) {
      BestAnswer best(problem, budget, by_relaxation(problem, std::move(all), at_least, budget));
      if (groups) best.enter(*groups);
      return std::move(best).result();
    }
  }
  MapperAnswer start = first_found(problem, at_least, budget);
  if (by_load_search(problem)) {
    const std::size_t branches = budget.steps(pace::kPrices / prices_of_branch(problem));
    return load_search(problem, start.mapping, branches, at_least, budget.deadline());
  }
  if (problem.objective == Objective::hop_bytes) return start;
  return congestion_search(problem, start.mapping, budget.steps(pace::kCongestionBranches), at_least,
                           budget.deadline());
}

}  // namespace topowise
