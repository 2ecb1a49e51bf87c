// SPDX-License-Identifier: BSD-3-Clause
// Facilities of the quadratic assignment problem: an exchange takes two of them. Facilities 0..ranks-1 are the ranks;
// the others are dummies, which exchange nothing with anyone and fill the empty slots. So a rank's move to an empty
// slot is an exchange like any other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// Two facilities, i < j; i is a rank.
struct FacilityPair {
  std::uint32_t i = 0;
  std::uint32_t j = 0;
};

/// The ranks' slots, then the empty ones in order.
[[nodiscard]] std::vector<std::uint32_t> slot_of_facility(std::span<const std::uint32_t> slot_of_rank,
                                                          std::size_t slots);

/// For each row of a square matrix the first that is interchangeable with it, itself if there is none before it:
/// nothing changes when both their rows and their columns are exchanged. The diagonal must be zero.
[[nodiscard]] std::vector<std::uint32_t> first_interchangeable(std::span<const double> matrix, std::size_t size);

/// Which facilities have the same traffic with all others, as dummies have, and which slots are at the same cost from
/// all others. Exchanging them changes nothing, so a search must not spend steps on it.
class Interchangeable {
 public:
  explicit Interchangeable(const Instance& instance);

  [[nodiscard]] bool any() const { return any_; }
  /// Whether i and j, or the slots that they are on, are interchangeable.
  [[nodiscard]] bool are(std::size_t i, std::size_t j, std::span<const std::uint32_t> slot_of_facility) const {
    return any_ && (first_facility_[i] == first_facility_[j] ||
                    first_slot_[slot_of_facility[i]] == first_slot_[slot_of_facility[j]]);
  }

 private:
  std::vector<std::uint32_t> first_facility_, first_slot_;  ///< equal where interchangeable
  bool any_ = false;
};

}  // namespace topowise
