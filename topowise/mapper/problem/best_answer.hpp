// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>

#include <topowise/mapper/problem/cost_numbers.hpp>

namespace topowise {

/// The best answer so far to one question, with the best bound.
class BestAnswer {
 public:
  /// Problem and budget must outlive it. The cost of every answer is known.
  BestAnswer(const MapProblem& problem, const Budget& budget, MapperAnswer first)
      : problem_(problem), budget_(budget), best_(std::move(first)) {}

  /// Keeps the earlier of two equal answers, and the better bound.
  void enter(MapperAnswer answer) {
    const double bound = std::max(best_.lower_bound, answer.proven_optimal ? answer.cost : answer.lower_bound);
    if (answer.cost < best_.cost) best_ = std::move(answer);
    best_.lower_bound = bound;
  }
  void raise_bound(double bound) { best_.lower_bound = std::max(best_.lower_bound, bound); }

  /// Returns true, and says what is next, if there is something to be gained and time for it.
  [[nodiscard]] bool goes_on(std::string_view next) const {
    if (is_proven() || budget_.over()) return false;
    budget_.tell({best_.cost, best_.lower_bound, next});
    return true;
  }
  [[nodiscard]] bool is_proven() const {
    return best_.proven_optimal || topowise::is_proven(problem_, best_.cost, best_.lower_bound);
  }
  [[nodiscard]] const MapperAnswer& best() const { return best_; }

  [[nodiscard]] MapperAnswer result() && {
    best_.proven_optimal = is_proven();
    return std::move(best_);
  }

 private:
  const MapProblem& problem_;
  const Budget& budget_;
  MapperAnswer best_;
};

}  // namespace topowise
