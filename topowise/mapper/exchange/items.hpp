// SPDX-License-Identifier: BSD-3-Clause
// What exchanges exchange. Items 0..ranks-1 are the ranks; the others stand for "nobody" and fill the empty slots, so
// that a rank's move to an empty slot is an exchange like any other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// Two items, i < j; i is a rank.
struct ItemPair {
  std::uint32_t i = 0;
  std::uint32_t j = 0;
};

/// The ranks', then the empty ones in order.
[[nodiscard]] std::vector<std::uint32_t> slot_of_item(std::span<const std::uint32_t> slot_of_rank, std::size_t slots);

/// For each row of a square matrix the first of its twins, itself if there is none before it. Two are twins if nothing
/// changes when both their rows and their columns are exchanged. The diagonal must be zero.
[[nodiscard]] std::vector<std::uint32_t> first_twins(std::span<const double> matrix, std::size_t size);

/// Twins are items that have the same traffic with everyone else, and slots at the same cost from all others; nobodies
/// are twins. Exchanging them changes nothing, so that a search must not spend steps on it.
class Twins {
 public:
  explicit Twins(const Instance& instance);

  [[nodiscard]] bool any() const { return any_; }
  /// Not counting two nobodies, which nobody would exchange.
  [[nodiscard]] bool any_with_ranks() const;
  /// Whether i and j, or the slots that they stand on, are twins.
  [[nodiscard]] bool are(std::size_t i, std::size_t j, std::span<const std::uint32_t> slot_of_item) const {
    return any_ && (first_item_[i] == first_item_[j] || first_slot_[slot_of_item[i]] == first_slot_[slot_of_item[j]]);
  }

 private:
  std::size_t ranks_;
  std::vector<std::uint32_t> first_item_, first_slot_;  ///< equal for twins
  bool any_ = false;
};

}  // namespace topowise
