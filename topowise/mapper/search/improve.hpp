// SPDX-License-Identifier: BSD-3-Clause
// Local search from a given mapping: the method that fits the objective and the size.
#pragma once

#include <optional>

#include <topowise/mapper/exchange/exchange_kernels.hpp>
#include <topowise/mapper/exchange/exchange_search.hpp>
#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Never returns anything worse than `start`. Ends after a number of steps that follows from the problem and the
/// budget's work alone, so that the same question has the same answer. Stops at `target`.
[[nodiscard]] MapperAnswer improve(const MapProblem& problem, const Mapping& start, const Budget& budget,
                                   double target);

// A population of mappings, each the result of a tabu search, and children of two of them.

// The choice of slots where the ranks that talk are all alike.

/// An instance in which every rank that talks exchanges the same with every other that does: an all-to-all on a part of
/// the machine. Only the set of slots that they take matters.
class SlotChoice {
 public:
  /// Nothing if the ranks are not alike.
  [[nodiscard]] static std::optional<SlotChoice> find(const Instance& instance);

  /// Pairs of a slot taken and one left: what a step looks at.
  [[nodiscard]] double pairs() const {
    return static_cast<double>(talkers_.size()) * static_cast<double>(slots_ - talkers_.size());
  }

  /// Tabu search in exchanges of a slot taken for one left; never returns anything worse than `start`.
  [[nodiscard]] ExchangeResult tabu(SlotOfRank start, const ExchangeLimits& limits, const Deadline& deadline) const;

 private:
  class Search;
  SlotChoice(const Instance& instance, std::vector<std::uint32_t> talkers);
  void move_talkers(SlotOfRank& slot_of_rank, std::vector<std::uint32_t> taken) const;

  std::vector<std::uint32_t> talkers_;  ///< the ranks that talk
  std::size_t slots_;
  PaddedRows<double> cost_;  ///< of two slots that are both taken, both directions
};

/// What a step of a tabu search looks at: the pairs that it could exchange.
[[nodiscard]] double pairs_of_step(const Instance& instance);

/// Improves `start`; never returns anything worse. More iterations never give anything worse either. With few
/// iterations it is one tabu search.
[[nodiscard]] ExchangeResult memetic_tabu(const Instance& instance, const SlotOfRank& start,
                                          const ExchangeLimits& limits, const Deadline& deadline);

}  // namespace topowise
