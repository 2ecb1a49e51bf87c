// SPDX-License-Identifier: BSD-3-Clause
// Knows the other mappers. A complete answer comes first, by the fast multilevel search, and of large products one by
// their parts; then constructions, because a search may take all of the time. Where `exact` may finish, it gets most of
// the time; if it proves its answer, that is the answer. Otherwise, where local search decides most, one begins from
// the fast answer; the thorough multilevel search competes with the constructions, the best of them is improved by
// local search, and the best of everything wins. Of two equal answers the earlier one wins, so the identity stays where
// nothing gains. The lower bound is the best of all.
//
// More time never makes the answer worse: with less time each stage does the same and ends earlier, and no stage begins
// from the result of a stage whose work follows from the time.
#include <topowise/mapper/map_auto.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/constrained/constrained.hpp>
#include <topowise/mapper/construct/constructions.hpp>
#include <topowise/mapper/construct/grid.hpp>
#include <topowise/mapper/construct/scotch.hpp>
#include <topowise/mapper/exact/subset_mapping.hpp>
#include <topowise/mapper/map_exact.hpp>
#include <topowise/mapper/multilevel/multilevel.hpp>
#include <topowise/mapper/problem/cost_numbers.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/ultrametric.hpp>
#include <topowise/mapper/search/improve.hpp>

namespace topowise {
namespace {

// The shares of `exact`, which ends earlier where it proves its answer. There are shares of the steps and one of the
// clock, so that a busy machine does not cut a proof that is nearly done.
constexpr double kMostForSubsets = 0.8;
constexpr double kMostForRelaxation = 0.4;
constexpr double kMostOfClock = 0.8;

// The shares of local search: of the first one, which comes before `multilevel` because that may take all of a short
// limit, and of the last one.
constexpr double kFirstSearch = 0.2;
constexpr Seconds kLongestFirstSearch{2};
constexpr double kLongSearch = 0.4;
constexpr double kShortSearch = 0.025;

bool is_hierarchy(const MapProblem& problem) {
  const std::vector<PlaceCapacity> all = place_capacities(problem);
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

/// `time` is a share of the whole limit, not of the time that is left: how long a search is must not depend on the
/// clock.
MapperAnswer search_from(const MapProblem& problem, const Mapping& start, Seconds time, double target,
                         const Budget& budget) {
  return {.mapping = improve(problem, start, budget.counting(time), target).mapping};
}

/// Scotch is one of several here: without the library the others do.
std::optional<MapperAnswer> map_scotch_if_there(const MapProblem& problem, const Budget& budget) {
  try {
    return map_scotch(problem, budget);
  } catch (const Error& error) {
    if (error.status() != ExitStatus::not_available) throw;
    return std::nullopt;
  }
}

/// The best answer so far.
class BestAnswer {
 public:
  BestAnswer(const MapProblem& problem, const Budget& budget, MapperAnswer first)
      : problem_(problem), budget_(budget), best_(std::move(first)) {}

  /// Keeps the earlier of two equal answers.
  void enter(MapperAnswer answer) {
    answer.cost = cost_of(problem_, answer.mapping);
    const double bound = std::max(best_.lower_bound, answer.lower_bound);
    if (answer.cost < best_.cost) best_ = std::move(answer);
    best_.lower_bound = bound;
  }
  void raise_bound(double bound) { best_.lower_bound = std::max(best_.lower_bound, bound); }

  /// Returns true, and tells what is next, if there is something to be gained and time for it.
  [[nodiscard]] bool goes_on(std::string_view next) const {
    if (is_proven() || budget_.over()) return false;
    budget_.tell({best_.cost, best_.lower_bound, next});
    return true;
  }
  [[nodiscard]] bool is_proven() const { return topowise::is_proven(problem_, best_.cost, best_.lower_bound); }
  [[nodiscard]] const MapperAnswer& best() const { return best_; }

  [[nodiscard]] MapperAnswer result() && {
    best_.proven_optimal = is_proven();
    best_.bounded = true;
    return std::move(best_);
  }

 private:
  const MapProblem& problem_;
  const Budget& budget_;
  MapperAnswer best_;
};

/// Leaves out what the deadline cut, which may be worse when it is whole.
void try_constructions(const MapProblem& problem, const Budget& budget, BestAnswer& best) {
  for (const MapFunction construct : constructions(problem)) {
    if (!best.goes_on("constructions")) return;
    MapperAnswer answer = construct(problem, budget);
    if (!budget.over()) best.enter(std::move(answer));
  }
}

/// Maps large traffic that is a product by its parts: where these are proven to be the best, nothing is searched.
std::optional<MapperAnswer> map_parts(const MapProblem& problem, const Budget& budget) {
  constexpr std::size_t kFew = 512;  // ranks: a search is as fast
  if (problem.traffic.ranks() <= kFew || problem.objective != Objective::hop_bytes) return std::nullopt;
  std::optional<MapperAnswer> parts = map_product_if_there(problem);
  if (!parts) return std::nullopt;
  parts->cost = cost_of(problem, parts->mapping);
  parts->lower_bound = quick_lower_bound(problem, budget);
  parts->proven_optimal = is_proven(problem, parts->cost, parts->lower_bound);
  return parts;
}

/// A gap to the bound, as a share, that is too small for a search from the parts of a large product to gain anything.
constexpr double kNothingToFind = 1e-3;

/// Collects answers that are the same however much time there is, so that with more time the last search does not begin
/// from another start.
BestAnswer try_others(const MapProblem& problem, const Budget& budget, MapperAnswer first) {
  BestAnswer best(problem, budget, std::move(first));
  if (best.goes_on("multilevel")) best.enter(map_multilevel_thorough(problem, budget.silent()));
  // Scotch is not asked where the problem is partitioning: its cuts are a tenth to two thirds larger than those of the
  // fast search.
  if (!is_partitioning(problem) && best.goes_on("scotch")) {
    if (std::optional<MapperAnswer> scotch = map_scotch_if_there(problem, budget)) best.enter(std::move(*scotch));
  }
  if (best.goes_on("lower bound")) best.raise_bound(lower_bound(problem, budget));
  return best;
}

}  // namespace

MapperAnswer map_auto(const MapProblem& problem, const Budget& budget) {
  if (!problem.loads.empty()) return map_multilevel(problem, budget);
  std::optional<MapperAnswer> parts = map_parts(problem, budget);
  if (parts && parts->proven_optimal) return *std::move(parts);
  const MapperAnswer fast = map_multilevel_fast(problem, budget);
  BestAnswer best(problem, budget, fast);
  if (parts) {
    best.enter(*std::move(parts));
    if (best.best().cost <= best.best().lower_bound * (1 + kNothingToFind)) return std::move(best).result();
  }
  try_constructions(problem, budget, best);
  MapperAnswer constructed = best.best();
  if (worth_exact(problem) && best.goes_on("exact")) {
    const double share = problem.traffic.ranks() <= kMostSubsetRanks ? kMostForSubsets : kMostForRelaxation;
    MapperAnswer exact = map_exact(problem, budget.stage(kMostOfClock).counting(budget.time() * share));
    const bool proven = exact.proven_optimal;
    best.enter(std::move(exact));
    if (proven) {
      best.raise_bound(best.best().cost);
      return std::move(best).result();
    }
  }
  const bool searches_much = !best.is_proven() && needs_local_search(problem);
  if (searches_much && best.goes_on("local search")) {
    const Seconds time = std::min(budget.time() * kFirstSearch, kLongestFirstSearch);
    best.enter(search_from(problem, fast.mapping, time, best.best().lower_bound, budget));
  }
  if (!best.goes_on("multilevel")) return std::move(best).result();
  constructed.lower_bound = best.best().lower_bound;
  const BestAnswer others = try_others(problem, budget, std::move(constructed));
  best.enter(others.best());
  if (!others.is_proven() && best.goes_on("local search")) {
    const Seconds time = budget.time() * (searches_much ? kLongSearch : kShortSearch);
    best.enter(search_from(problem, others.best().mapping, time, best.best().lower_bound, budget));
  }
  return std::move(best).result();
}

}  // namespace topowise
