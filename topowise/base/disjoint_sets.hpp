// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace topowise {

/// Union-find over 0..size-1 whose representative is the smallest member. Almost O(1) a call.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0U); }

  [[nodiscard]] std::size_t find(std::size_t element) {
    while (parent_[element] != element) element = parent_[element] = parent_[parent_[element]];
    return element;
  }
  /// False if they were together already.
  bool join(std::size_t a, std::size_t b) {
    const auto [low, high] = std::minmax({find(a), find(b)});
    parent_[high] = static_cast<std::uint32_t>(low);
    return low != high;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace topowise
