// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of a short table (short_table.hpp), for vector instructions that this processor has. All numbers are
// whole: every set gives the same.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include <topowise/mapper/exchange/facilities.hpp>
#include <topowise/mapper/exchange/short/short_tiles.hpp>
#include <topowise/mapper/exchange/simd.hpp>

namespace topowise {

/// Flows between facilities, none of nobodies, and costs between slots; all symmetric, 0 to 127.
struct ShortMatrices {
  [[nodiscard]] std::size_t in_whole_blocks() const { return (facilities + kShortSide - 1) / kShortSide * kShortSide; }

  std::size_t ranks = 0;
  std::size_t facilities = 0;
  PaddedRows<std::int8_t> flows, costs;  ///< kMostShortItems columns
  /// In row g and column i the flows between facility i and the facilities 4g to 4g + 3: an instruction multiplies four
  /// bytes by four others and adds the products. An even number of rows.
  PaddedRows<std::uint32_t> quads;
  int most_flow = 0;
  int most_cost = 0;
};

/// What is beyond the facilities stands for itself.
using ShortPlaces = ShortRow<std::uint8_t>;

/// What an exchange of r and s adds to the entries, by facility: to that of i and j first `more`, if one of them is r
/// or s, then (flows[i] - flows[j]) (costs[i] - costs[j]), scaled.
struct ShortStep {
  [[nodiscard]] std::int16_t after(std::int16_t entry, std::size_t i, std::size_t j) const {
    return saturated(saturated(entry + more_of(i, j) + more_of(j, i)) + product(i, j));
  }
  [[nodiscard]] std::int16_t product(std::size_t i, std::size_t j) const {
    return scaled_product(static_cast<std::int16_t>(flows[i] - flows[j]),
                          static_cast<std::int16_t>(costs[i] - costs[j]));
  }
  [[nodiscard]] std::int16_t more_of(std::size_t end, std::size_t other) const {
    return end == pair.i ? more[0][other] : end == pair.j ? more[1][other] : std::int16_t{0};
  }
  /// Only the product is added from here on.
  void add_no_more(std::size_t i, std::size_t j) {
    for (const auto& [end, other] : {std::pair(i, j), std::pair(j, i)}) {
      if (end == pair.i) more[0][other] = 0;
      if (end == pair.j) more[1][other] = 0;
    }
  }

  FacilityPair pair;               ///< r and s
  std::int32_t change = 0;         ///< of cost, counted one way
  ShortRow<std::int16_t> flows{};  ///< with r less those with s
  ShortRow<std::int16_t> costs{};  ///< to the slot that r leaves less to that of s, from where each stands then
  std::array<ShortRow<std::int16_t>, 2> more{};  ///< of r and of s
  ShortRow<std::int32_t> apart{};                ///< what each would cost on the slot of r, less that on the slot of s
};

/// The least entries of groups: a row of kShortGroups for each tile.
using ShortLeast = PaddedRows<std::int16_t>;

/// Of all groups the one whose least entry and lot add up to least; the first such.
struct ShortFirst {
  std::size_t tile = 0;
  std::size_t group = 0;
  std::int16_t sum = 0;
};

struct ShortKernels {
  InstructionSet set;
  double entries_per_second;  ///< of whole exchanges; deliberately below what a current core does
  /// By facility, in whole blocks, the sum over all others of the flow with each times its number.
  void (*combine)(const ShortMatrices&, const std::int8_t* numbers, std::int32_t* sums);
  /// What an exchange changes; nothing has moved yet.
  void (*measure)(const ShortMatrices&, const ShortPlaces&, const ShortScale&, FacilityPair, ShortStep&);
  /// Adds the step to all entries, and finds the least of each group.
  void (*update)(ShortTiles&, const ShortStep&, ShortLeast&);
  /// One lot for each group, tile by tile; anywhere in memory.
  ShortFirst (*first)(const ShortLeast&, std::size_t tiles, const std::int16_t* lots);
};

/// Those that this processor can run, the fastest last; the first is plain.
[[nodiscard]] std::span<const ShortKernels> short_kernels();

}  // namespace topowise
