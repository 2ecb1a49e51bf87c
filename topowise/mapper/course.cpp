// SPDX-License-Identifier: BSD-3-Clause
// The stages, each of which begins only if the bound is not met yet and there is time:
//
//   a question that rows know                            one with a mix, with fixed ranks or with loads
//   1. the quick row; boxes or bricks of large products  the ranks in order, as the constraints allow them
//      and grids on large networks before it
//   2. rows in turn: constructions, because a search may take all of the time
//   3. -                                                 the quick row, improved
//   4. the row that proves, where it may finish: it gets most of the time, and its proof ends the course
//   5. local search from the quick answer, where that    the row that was asked, improved, in rounds
//      decides most; late rows; local search from the
//      best of all but the first search and the proof
//   6. on a hierarchy: searches from other seeds          -
//   7. the lower bound (before the last search)          the lower bound without the constraints
//
// Predicted time has stages of its own, which ask rows for the other objectives (predicted_time_search.hpp).
//
// The best of everything wins. Of two equal answers the earlier one wins, so the identity stays where nothing gains.
// The lower bound is the best of all.
//
// More time never makes the answer worse: with less time each stage does the same and ends earlier, and no stage begins
// from the result of a stage whose work follows from the time.
#include <topowise/mapper/course.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/mapper/constrained/constrained_slots.hpp>
#include <topowise/mapper/constrained/load_annealing.hpp>
#include <topowise/mapper/construct/fixed_ranks.hpp>
#include <topowise/mapper/construct/network_grid.hpp>
#include <topowise/mapper/construct/product_tiling.hpp>
#include <topowise/mapper/exact/subset_mapping.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/best_answer.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/large_network.hpp>
#include <topowise/mapper/problem/ultrametric.hpp>
#include <topowise/mapper/search/improve.hpp>
#include <topowise/mapper/search/predicted_time_search.hpp>
#include <topowise/mapper/search/sampled_tabu.hpp>
#include <topowise/mapper/search/search_rounds.hpp>

namespace topowise {
namespace {

// The shares of the row that proves, which ends earlier where it proves its answer. There are shares of the steps and
// one of the clock, so that a busy machine does not cut a proof that is nearly done.
constexpr double kMostForSubsets = 0.8;
constexpr double kMostForSubsetsBeforeRounds = 0.7;
constexpr double kMostForRelaxation = 0.4;
constexpr double kMostOfClock = 0.8;

// The shares of local search: of the first one, which comes before the late rows because these may take all of a short
// limit, and of the last one.
constexpr double kFirstSearch = 0.2;
constexpr Seconds kLongestFirstSearch{2};
constexpr double kLongSearch = 0.4;
constexpr double kShortSearch = 0.025;

/// The share of searches from other seeds, which come last.
constexpr double kShareOfAgain = 0.6;

/// The share of the clock in which rows in turn must end where the question is not plain. They take seconds for
/// problems so large that a search only begins in the usual time. What that share cuts is left out, because it may be
/// worse when it is whole.
constexpr double kShareOfTurns = 0.25;

/// The share of the time that improving is counted for when the quick row is asked under constraints, alone or before
/// another row.
constexpr double kShareOfQuick = 0.1;

/// A question that rows know.
bool is_plain(const MapProblem& problem) {
  return !is_constrained(problem) && problem.objective != Objective::mix;
}

/// False for ranks with loads: these are mapped by the multilevel search, which ends by itself, or by a search that
/// proves its answer.
bool follows_time(const MapProblem& problem, const Mapper& row) {
  return row.follows_time && problem.loads.empty();
}

MapperAnswer with_cost(const MapProblem& problem, MapperAnswer answer) {
  answer.cost = cost_of(problem, answer.mapping);
  return answer;
}

/// What a row finds, changed to keep all constraints.
MapperAnswer repaired(const MapProblem& problem, MapperAnswer answer) {
  answer.mapping = balance(problem, place_fixed(problem, answer.mapping));
  if (!problem.loads.empty()) answer.lower_bound = 0;  // it is not of this problem
  answer.cost = cost_of(problem, answer.mapping);
  answer.proven_optimal = answer.cost <= answer.lower_bound;
  return answer;
}

MapperAnswer fitted(const MapProblem& problem, const Mapper& row, const Budget& budget);

/// The better, by the mix, of the mappings that a row finds for each objective alone, in equal shares of the time if
/// what it finds follows from the time.
MapperAnswer fitted_to_mix(const MapProblem& problem, const Mapper& row, const Budget& budget) {
  const auto alone = [&](Objective objective) {
    MapProblem asked = problem;
    asked.objective = objective;
    return with_cost(problem, fitted(asked, row, row.follows_time ? budget.stage(0.5) : budget));
  };
  MapperAnswer best = alone(Objective::hop_bytes);
  MapperAnswer other = alone(Objective::max_congestion);
  const ObjectiveMix& mix = problem.mix;
  const double bound =
      mix.hop_share / mix.hop_bytes * best.lower_bound + (1 - mix.hop_share) / mix.congestion * other.lower_bound;
  if (other.cost < best.cost) best = std::move(other);
  best.lower_bound = std::min(bound, best.cost);
  best.proven_optimal = best.cost <= bound;
  return best;
}

/// What a row finds for any question, not searched on.
MapperAnswer fitted(const MapProblem& problem, const Mapper& row, const Budget& budget) {
  if (is_plain(problem)) return with_cost(problem, row.run(problem, budget));
  const bool is_mix = problem.objective == Objective::mix;
  if (is_mix && problem.loads.empty()) return fitted_to_mix(problem, row, budget);
  MapProblem free = problem;
  free.fixed.clear();
  if (is_mix) free.objective = Objective::hop_bytes;  // what a mapper of loads refines by
  return repaired(problem, row.run(free, budget));
}

/// The share of the time of what is then improved. Annealing makes up for what balancing costs.
double share_of_fitted(const MapProblem& problem) {
  if (!problem.loads.empty()) return 0.3;
  if (problem.objective == Objective::mix) return problem.fixed.empty() ? 0.7 : 0.35;
  return 0.5;
}

/// The same, improved by exchanges that keep the constraints, as far as there is time; more time never makes it worse.
/// Nothing if the deadline cut what the improvement begins from: with more time the row would find another beginning.
std::optional<MapperAnswer> fitted_and_improved(const MapProblem& problem, const Mapper& row, const Budget& budget) {
  const double share = share_of_fitted(problem);
  MapperAnswer answer = fitted(problem, row, (follows_time(problem, row) ? budget.stage(share) : budget).silent());
  if (answer.proven_optimal) return answer;
  if (budget.over()) return std::nullopt;
  const Budget rest = budget.counting(budget.time() * (1 - share));
  // Annealing has rounds of its own, in which what it does follows from its time.
  MapperAnswer improved = problem.loads.empty()
                              ? sampled_tabu(problem, answer.mapping,
                                             sampled_tabu_limits(problem, rest, answer.lower_bound), rest.deadline())
                              : anneal_in_rounds(problem, answer.mapping, rest);
  BestAnswer best(problem, budget, std::move(answer));
  best.enter(std::move(improved));
  return std::move(best).result();
}

bool is_hierarchy(const MapProblem& problem) {
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  if (is_large_network(problem)) return false;
  if (all.size() > Topology::kLargestDense) return true;
  constexpr std::size_t kFew = 64;  // most machines that are none show it here; all distances take longer to find
  for (const std::size_t count : {std::min(kFew, all.size()), all.size()}) {
    const auto some = std::span(all).first(count);
    if (!is_ultrametric(pair_distances(problem, some), count)) return false;
  }
  return true;
}

/// On a hierarchy multisection leaves little to do for local search. On other machines it only gives local search a
/// start. So it does where the fullest link counts, of which multisection knows nothing.
bool needs_local_search(const MapProblem& problem) {
  return problem.objective != Objective::hop_bytes || !is_hierarchy(problem);
}

/// Maps large traffic that is a product by its parts, or onto a large network as a grid: where that is proven to be the
/// best, nothing is searched.
std::optional<MapperAnswer> map_parts(const MapProblem& problem, const Budget& budget) {
  constexpr std::size_t kFew = 512;  // ranks: a search is as fast
  const bool on_network = is_large_network(problem);
  if ((problem.traffic.ranks() <= kFew && !on_network) || problem.objective != Objective::hop_bytes)
    return std::nullopt;
  std::optional<double> known;  // most traffic has no such parts, and needs no bound here
  const auto bound = [&] {
    if (!known) known = quick_lower_bound(problem, budget);
    return *known;
  };
  std::optional<Mapping> parts =
      on_network ? map_grid_onto_network(problem, budget.deadline()) : tile_product(problem, budget.deadline(), bound);
  if (!parts) return std::nullopt;
  MapperAnswer answer = with_cost(problem, {.mapping = *std::move(parts)});
  answer.lower_bound = bound();
  answer.proven_optimal = is_proven(problem, answer.cost, answer.lower_bound);
  return answer;
}

/// The stages, and the best answer so far.
class Course {
 public:
  /// The problem and the budget must outlive it.
  Course(const MapProblem& problem, const Budget& budget, MapperAnswer first)
      : problem_(problem), budget_(budget), best_(problem, budget, std::move(first)) {}

  [[nodiscard]] const MapperAnswer& best() const { return best_.best(); }
  void enter(MapperAnswer answer) { best_.enter(std::move(answer)); }

  /// True where a long search could find too little to be worth its time.
  [[nodiscard]] bool is_near_bound() const {
    constexpr double kNothingToFind = 1e-3;  // of the cost
    return best().cost <= best().lower_bound * (1 + kNothingToFind);
  }

  void take_turns() {
    const Budget stage = is_plain(problem_) ? budget_ : budget_.stage(kShareOfTurns);
    for (const Mapper& row : in_turn(mappers(), problem_)) {
      if (stage.over() || !best_.goes_on("constructions")) return;
      MapperAnswer answer = fitted(problem_, row, stage.silent());
      if (!stage.over()) best_.enter(std::move(answer));
    }
  }

  /// The share of the steps that the row that proves gets; 0 if it is not worth a try.
  [[nodiscard]] double share_of_proof() const {
    if (!is_worth_a_try(row_that(&Mapper::proves, mappers()), problem_)) return 0;
    if (problem_.traffic.ranks() > kMostSubsetRanks) return kMostForRelaxation;
    return is_plain(problem_) ? kMostForSubsets : kMostForSubsetsBeforeRounds;
  }

  /// Returns true if the answer is proven.
  bool prove(double share) {
    const Mapper& prover = row_that(&Mapper::proves, mappers());
    if (share == 0 || !best_.goes_on(prover.name)) return best_.is_proven();
    const Budget stage = budget_.stage(kMostOfClock).counting(budget_.time() * share);
    enter(with_cost(problem_, prover.run(problem_, stage.silent())));
    return best_.is_proven();
  }

  /// What the row finds, improved: in rounds if it follows from the time, else once, counted for a share of the time.
  void search(const Mapper& row, const Budget& budget, double share) {
    if (!best_.goes_on(row.name)) return;
    const auto once = [&](const Budget& round) { return fitted_and_improved(problem_, row, round); };
    if (follows_time(problem_, row)) return rounds::run(budget, best_, once);
    if (std::optional<MapperAnswer> found = once(budget.counting(budget.time() * share))) enter(*std::move(found));
  }

  /// Local search from `quick`; then late rows, and local search from the best of them and of `built`. These are the
  /// same however much time there is, so that with more time the last search does not begin from another start.
  void search_far(const Mapping& quick, MapperAnswer built) {
    const bool searches_much = !best_.is_proven() && needs_local_search(problem_);
    if (searches_much) search_from(quick, std::min(budget_.time() * kFirstSearch, kLongestFirstSearch));
    built.lower_bound = best().lower_bound;
    BestAnswer same(problem_, budget_, std::move(built));
    for (const Mapper& row : mappers()) {
      if (row.late == nullptr || !is_worth_a_try(row, problem_) || !goes_on(row.name, same)) continue;
      if (std::optional<LateAnswer> found = late_answer(row)) {
        if (found->again) again_.push_back({row.name, std::move(found->again)});
        same.enter(with_cost(problem_, std::move(found->answer)));
      }
    }
    if (goes_on("lower bound", same)) {
      same.raise_bound(lower_bound(problem_, budget_));
      bounded_ = true;
    }
    enter(same.best());
    search_from(same.best().mapping, budget_.time() * (searches_much ? kLongSearch : kShortSearch));
    if (!searches_much && !is_near_bound()) search_again();
  }

  void raise_bound() {
    if (!best_.is_proven()) best_.raise_bound(lower_bound(relaxed(problem_), budget_));
    bounded_ = true;
  }

  [[nodiscard]] MapperAnswer result() && {
    // Searches may have taken all of their time: then the bound still has its own.
    const bool bounded = bounded_ || is_near_bound();
    MapperAnswer answer = std::move(best_).result();
    answer.bounded = bounded;
    return answer;
  }

 private:
  [[nodiscard]] bool goes_on(std::string_view next, const BestAnswer& same) const {
    return !same.is_proven() && best_.goes_on(next);
  }

  /// `time` is a share of the whole limit, not of the time that is left: how long a search is must not depend on the
  /// clock.
  void search_from(const Mapping& start, Seconds time) {
    if (!best_.goes_on("local search")) return;
    enter(with_cost(problem_, improve(problem_, start, budget_.counting(time), best().lower_bound)));
  }

  void search_again() {
    for (const Again& row : again_) {
      if (best_.goes_on(row.name)) enter(row.search(budget_.counting(budget_.time() * kShareOfAgain), best()));
    }
  }

  /// Each row is one of several here: without a library that one of them needs, the others do.
  [[nodiscard]] std::optional<LateAnswer> late_answer(const Mapper& row) const {
    try {
      return row.late(problem_, budget_.silent());
    } catch (const Error& error) {
      if (error.status() != ExitStatus::not_available) throw;
      return std::nullopt;
    }
  }

  const MapProblem& problem_;
  const Budget& budget_;
  BestAnswer best_;
  struct Again {
    std::string_view name;
    std::function<MapperAnswer(const Budget&, MapperAnswer first)> search;
  };
  std::vector<Again> again_;  ///< how late rows search on
  bool bounded_ = false;      ///< the lower bound was looked for
};

}  // namespace

ObjectiveMix relative_to(const MapProblem& problem, const Mapping& reference) {
  const auto cost = [&](Objective objective) {
    const double value = evaluate(objective, problem.traffic, problem.topology, reference, problem.metric);
    return value > 0 ? value : 1.0;
  };
  return {.hop_share = problem.mix.hop_share,
          .hop_bytes = cost(Objective::hop_bytes),
          .congestion = cost(Objective::max_congestion)};
}

MapperAnswer conduct(const MapProblem& problem, const Mapper& row, const std::optional<Mapping>& nearest,
                     const Budget& budget) {
  if (problem.objective == Objective::predicted_time)
    return map_for_predicted_time(problem, row, mappers(), nearest, budget);
  if (is_plain(problem)) return row.run(problem, budget);
  if (row.considers == Considers::places) return fitted(problem, row, budget.silent());
  BestAnswer in_order(problem, budget, repaired(problem, {.mapping = ranks_in_order(problem)}));
  if (row.constructs) {
    in_order.enter(fitted(problem, row, budget.silent()));
    return std::move(in_order).result();
  }
  Course course(problem, budget, std::move(in_order).result());
  const double share_of_proof = row.proves || row.tries_others ? course.share_of_proof() : 0;
  if (row.tries_others && problem.loads.empty()) course.take_turns();
  if (row.considers == Considers::loads)
    course.search(row_that(&Mapper::quick, mappers()), budget, is_constrained(problem) ? kShareOfQuick : 1);
  if (course.prove(share_of_proof)) return std::move(course).result();
  if (!row.quick) course.search(row, budget.counting(budget.time() * (1 - share_of_proof)), 1);
  course.raise_bound();
  return std::move(course).result();
}

MapperAnswer map_auto(const MapProblem& problem, const Budget& budget) {
  if (!problem.loads.empty()) {
    const auto bears = [](const Mapper& row) { return row.late != nullptr && row.considers == Considers::loads; };
    return std::ranges::find_if(mappers(), bears)->run(problem, budget);
  }
  if (is_large_network(problem)) {  // its ranks may be in the order of a grid of the same shape
    MapperAnswer in_order = with_cost(problem, {.mapping = fill_in_order(problem)});
    in_order.lower_bound = quick_lower_bound(problem, budget);
    in_order.proven_optimal = is_proven(problem, in_order.cost, in_order.lower_bound);
    if (in_order.proven_optimal) return in_order;
  }
  const std::optional<MapperAnswer> parts = map_parts(problem, budget);
  if (parts && parts->proven_optimal) return *parts;
  const MapperAnswer quick = row_that(&Mapper::quick, mappers()).run(problem, budget);
  Course course(problem, budget, quick);
  if (parts) course.enter(*parts);
  if (parts && course.is_near_bound()) return std::move(course).result();
  course.take_turns();
  const MapperAnswer built = course.best();
  if (!course.prove(course.share_of_proof())) course.search_far(quick.mapping, built);
  return std::move(course).result();
}

}  // namespace topowise
