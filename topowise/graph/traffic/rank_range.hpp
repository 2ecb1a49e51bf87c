// SPDX-License-Identifier: BSD-3-Clause
// Consecutive ranks: the piece of a problem that one of several processes holds.
#pragma once

#include <cstddef>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// The ranks `first` to `end` - 1.
struct RankRange {
  std::size_t first = 0;
  std::size_t end = 0;

  [[nodiscard]] constexpr std::size_t size() const { return end - first; }
  [[nodiscard]] constexpr bool contains(std::size_t rank) const { return first <= rank && rank < end; }
};

/// Piece number `piece` out of `pieces`, which differ in size by one at most.
[[nodiscard]] constexpr RankRange piece_of(std::size_t ranks, std::size_t piece, std::size_t pieces) {
  return {ranks * piece / pieces, ranks * (piece + 1) / pieces};
}

/// What the ranks of one piece send, out of a traffic of `ranks` ranks.
struct TrafficRows {
  std::size_t ranks = 0;
  std::vector<TrafficEntry> entries;
  std::vector<Diagnostic> warnings;
};

}  // namespace topowise
