// SPDX-License-Identifier: BSD-3-Clause
// Where a search that wanders has found cheap mappings. Near a cheap one others are far more frequent than elsewhere,
// but a search that sets out from the same one again and again comes back to the same others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// Cheap mappings, one of each funnel: none joins them that has the slots of a cheaper one for at least half of the
/// ranks, and that which does so of a dearer one takes its place.
class Funnels {
 public:
  /// Of up to 2^16 slots. `most` > 0 cheapest mappings are kept.
  Funnels(std::size_t ranks, std::size_t most) : ranks_(ranks), most_(most) {}

  /// O(funnels x ranks) if it is cheap enough to be kept.
  void add(double cost, std::span<const std::uint32_t> slot_of_rank);

  [[nodiscard]] std::size_t size() const { return funnels_.size(); }

  /// From where to search next: the cheapest mapping if each search that has set out from one makes it dearer by
  /// `price`. Counts as such a search. There must be a mapping.
  [[nodiscard]] SlotOfRank next(double price);

 private:
  struct Funnel {
    double cost = 0;
    std::size_t searches = 0;  ///< since its mapping was found
  };

  [[nodiscard]] bool in_same(const std::uint16_t* mapping, std::size_t funnel) const;

  std::size_t ranks_;
  std::size_t most_;
  std::vector<Funnel> funnels_;
  std::vector<std::uint16_t> slots_;  ///< ranks of each funnel's mapping
};

}  // namespace topowise
