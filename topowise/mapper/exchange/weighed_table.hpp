// SPDX-License-Identifier: BSD-3-Clause
// What every exchange of two facilities would change (exchange_table.hpp), and how likely each is at some temperature.
// An exchange updates all entries and weighs them in one pass of vector instructions, O(facilities^2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/exchange/dense_ends.hpp>
#include <topowise/mapper/exchange/drawn_exchange.hpp>
#include <topowise/mapper/exchange/facilities.hpp>
#include <topowise/mapper/exchange/weighing_kernels.hpp>

namespace topowise {

template <class Number>
class WeighedTable {
 public:
  WeighedTable(const Instance& instance, const WholeUnits& units, std::span<const std::uint32_t> slot_of_rank);

  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  [[nodiscard]] std::size_t facilities() const { return slot_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> slots() const { return slot_; }
  /// Cost after minus before, in units; infinite where twins are involved and nothing would change, and where hidden.
  [[nodiscard]] Number change(std::size_t i, std::size_t j) const { return table_.at(i, j); }

  /// The weights of all from here on are those at this rate (ExchangeWeight).
  void weigh(double rate);
  [[nodiscard]] double sum_of_weights() const;
  /// The pair at `rest`, below the sum of weights, when the weights of all are laid end to end. None where rounding has
  /// left a gap.
  [[nodiscard]] std::optional<FacilityPair> find(double rest) const;
  /// None if there is hardly any weight.
  [[nodiscard]] std::optional<DrawnExchange> draw(Random& random) const;

  /// What it changes, in units. Weighs all exchanges anew.
  Number exchange(FacilityPair pair);

  /// The entries of as many exchanges that were made last are infinite, none before this is called.
  void hide_last(std::size_t exchanges) { memory_ = exchanges; }
  [[nodiscard]] std::size_t hidden() const { return hidden_.size(); }
  /// Of those hidden the one that was made first.
  void show_oldest();

 private:
  struct Hidden {
    FacilityPair pair;
    Number entry = 0;
  };

  void read(std::uint32_t end, Number* changes) const;
  void write(std::uint32_t end, Number* changes);
  void hide(FacilityPair pair);
  void restore_oldest();
  void update();

  const WeighingKernels<Number>& kernels_;
  std::size_t ranks_;
  std::vector<std::uint32_t> slot_;
  Interchangeable interchangeable_;
  DenseEnds<Number> ends_;
  PairTiles<Number> table_;
  PaddedRows<Number> changes_;  ///< of the exchanges of either end, by facility
  Number rate_ = 0;
  PaddedRows<Number> by_lane_;  ///< the weights
  std::size_t memory_ = 0;
  std::vector<Hidden> hidden_;  ///< the oldest first
};

extern template class WeighedTable<float>;
extern template class WeighedTable<double>;

}  // namespace topowise
