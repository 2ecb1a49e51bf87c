// SPDX-License-Identifier: BSD-3-Clause
// Searches that would go another way, and not only further, if they had more time: those that begin from what others
// find, or that cool down. Such a search is run again and again, each time with four times as much, and the best of all
// rounds counts. The rounds of a longer limit are those of a shorter one and one more: it is never worse.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include <topowise/mapper/problem/best_answer.hpp>

namespace topowise::rounds {

inline constexpr double kGrowth = 4;
/// The last round of the usual limit of ten seconds has three quarters of that limit.
inline constexpr Seconds kFirst{7.5 / 1024};

/// `search(budget)` gives an answer with its cost, or nothing; it counts only if the deadline did not cut it. No round
/// begins where `is_exhausted()`.
template <class Search, class IsExhausted>
void run(const Budget& budget, BestAnswer& best, const Search& search, const IsExhausted& is_exhausted) {
  Seconds used(0);
  for (Seconds time = kFirst; !is_exhausted(); time = time * kGrowth) {
    used += time;
    if ((used > budget.time() && time > kFirst) || !best.goes_on("longer search")) return;
    std::optional<MapperAnswer> next = search(budget.counting(std::min(time, budget.time())).silent());
    if (budget.over() && !(next && next->proven_optimal)) return;
    if (next) best.enter(*std::move(next));
  }
}

template <class Search>
void run(const Budget& budget, BestAnswer& best, const Search& search) {
  run(budget, best, search, [] { return false; });
}

}  // namespace topowise::rounds
