// SPDX-License-Identifier: BSD-3-Clause
// Searches that would go another way, and not only further, if they had more time: those that begin from what others
// find, or that cool down. Such a search is run again and again, each time with four times as much, and the best of all
// rounds counts. The rounds of a longer limit are those of a shorter one and one more: it is never worse.
#pragma once

#include <algorithm>
#include <utility>

#include <topowise/mapper/construct/constructions.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise::rounds {

inline constexpr double kGrowth = 4;
/// The last round of the usual limit of ten seconds has three quarters of that limit.
inline constexpr Seconds kFirst{7.5 / 1024};

/// Takes the better of two, and the better bound.
inline void keep_better(MapperAnswer& best, MapperAnswer other) {
  const double bound = std::max(best.lower_bound, other.lower_bound);
  if (other.cost < best.cost) best = std::move(other);
  best.lower_bound = bound;
  best.proven_optimal = best.proven_optimal || best.cost <= bound;
}

/// Tries the constructions. `answer_of(construct, budget)` gives an answer with its cost. Constructions take seconds
/// for problems so large that a search only begins in the usual time. What a quarter of the time cuts is left out,
/// because it may be worse when it is whole.
template <class AnswerOf>
void try_constructions(const MapProblem& problem, const Budget& budget, MapperAnswer& best, const AnswerOf& answer_of) {
  constexpr double kShare = 0.25;
  const Budget stage = budget.stage(kShare);
  for (const MapFunction construct : constructions(problem)) {
    if (stage.over() || best.proven_optimal) return;
    budget.tell({best.cost, best.lower_bound, "constructions"});
    MapperAnswer answer = answer_of(construct, stage);
    if (!stage.over()) keep_better(best, std::move(answer));
  }
}

/// `search(budget)` gives an answer with its cost, which counts only if the deadline did not cut it; `best` is the best
/// answer before. No round begins where `is_exhausted()`.
template <class Search, class IsExhausted>
[[nodiscard]] MapperAnswer run(const Budget& budget, MapperAnswer best, const Search& search,
                               const IsExhausted& is_exhausted) {
  Seconds used(0);
  for (Seconds time = kFirst; !best.proven_optimal && !is_exhausted() && !budget.over(); time = time * kGrowth) {
    used += time;
    if (used > budget.time() && time > kFirst) break;
    budget.tell({best.cost, best.lower_bound, "longer search"});
    MapperAnswer next = search(budget.counting(std::min(time, budget.time())).silent());
    if (budget.over() && !next.proven_optimal) break;
    keep_better(best, std::move(next));
  }
  return best;
}

template <class Search>
[[nodiscard]] MapperAnswer run(const Budget& budget, MapperAnswer best, const Search& search) {
  return run(budget, std::move(best), search, [] { return false; });
}

}  // namespace topowise::rounds
