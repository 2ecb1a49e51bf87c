// SPDX-License-Identifier: BSD-3-Clause
// What a weighed table (weighed_table.hpp) does with entries of 16 bits, three to four times as fast. Entries are
// rounded, and made anew before the errors of many steps add up; what an exchange changes when it is made is exact.
// Nothing is weighed: the next exchange is the first in a race (ShortLots), in which each group (kShortGroups) is
// represented by its least entry. An exchange costs O(facilities^2), with few instructions for each vector of entries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/exchange/drawn_exchange.hpp>
#include <topowise/mapper/exchange/facilities.hpp>
#include <topowise/mapper/exchange/short/short_kernels.hpp>
#include <topowise/mapper/exchange/short/short_lots.hpp>
#include <topowise/mapper/exchange/whole_units.hpp>

namespace topowise {

class ShortTable {
 public:
  /// Whether flows and costs are symmetric and fit into bytes, and no exchange of a rank is one of twins.
  [[nodiscard]] static bool holds(const Instance& instance, const WholeUnits& units);
  /// Below what this processor does.
  [[nodiscard]] static double exchanges_per_second(std::size_t facilities);

  ShortTable(const Instance& instance, const WholeUnits& units, std::span<const std::uint32_t> slot_of_rank,
             const ShortKernels& kernels = short_kernels().back());

  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  [[nodiscard]] std::size_t facilities() const { return slot_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> slots() const { return slot_; }
  /// Cost after minus before, in units, rounded; infinite where it is hidden.
  [[nodiscard]] double change(std::size_t i, std::size_t j) const;

  /// From here on an exchange is as likely as 2^(rate * change), rate below 0. A rate that entries have not enough bits
  /// for is taken as the largest possible.
  void weigh(double rate);
  /// None if none is likely enough, or before weigh() is called.
  [[nodiscard]] std::optional<DrawnExchange> draw(Random& random) const;

  /// What it changes, in units, exactly.
  double exchange(FacilityPair pair);

  /// The entries of as many exchanges that were made last are infinite, none before this is called.
  void hide_last(std::size_t exchanges) { memory_ = exchanges; }
  [[nodiscard]] std::size_t hidden() const { return hidden_.size(); }
  /// Of those hidden the one that was made first.
  void show_oldest();

 private:
  struct Hidden {
    FacilityPair pair;
    std::int16_t entry = 0;
  };

  void fill();
  void find_least();
  void hide(FacilityPair last, std::int16_t entry);
  void restore_oldest();

  const ShortKernels& kernels_;
  std::size_t ranks_;
  std::vector<std::uint32_t> slot_;
  ShortMatrices matrices_;
  ShortPlaces slot_of_facility_;  ///< as slot_
  ShortScale scale_;
  ShortTiles table_;
  ShortStep step_;
  ShortLeast least_;
  const ShortLots& lots_ = ShortLots::all();
  std::size_t memory_ = 0;
  std::vector<Hidden> hidden_;  ///< the oldest first
};

}  // namespace topowise
