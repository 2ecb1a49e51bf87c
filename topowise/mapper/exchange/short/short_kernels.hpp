// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of a short table (short_table.hpp), for vector instructions that this processor has. All numbers are
// whole: every set gives the same.
#pragma once

#include <cstdint>
#include <span>

#include <topowise/mapper/exchange/items.hpp>
#include <topowise/mapper/exchange/short/short_tiles.hpp>
#include <topowise/mapper/exchange/simd.hpp>

namespace topowise {

/// Flows between items, none of nobodies, and costs between slots; all symmetric, 0 to 127.
struct ShortMatrices {
  std::size_t ranks = 0;
  std::size_t items = 0;
  PaddedRows<std::int8_t> flows, costs;  ///< kMostShortItems columns
  /// In row g and column q the costs between slot q and the slots 4g to 4g + 3: an instruction multiplies four bytes by
  /// four others and adds the products. An even number of rows.
  PaddedRows<std::uint32_t> quads;
  int most_flow = 0;
  int most_cost = 0;
};

/// Both ways; what is beyond the items stands for itself.
struct ShortPlaces {
  ShortRow<std::uint8_t> slot_of_item, item_of_slot;
};

/// What an exchange of r and s adds to an entry: (flows[i] - flows[j]) (costs[i] - costs[j]), scaled. By item.
struct ShortStep {
  [[nodiscard]] std::int16_t operator()(std::size_t i, std::size_t j) const {
    return scaled_product(static_cast<std::int16_t>(flows[i] - flows[j]),
                          static_cast<std::int16_t>(costs[i] - costs[j]));
  }
  ShortRow<std::int16_t> flows{};               ///< with r less those with s
  ShortRow<std::int16_t> costs{};               ///< costs_r less costs_s
  ShortRow<std::int16_t> costs_r{}, costs_s{};  ///< with the slots on which r and s stand before it
  ShortRow<std::int32_t> apart{};               ///< by slot: what r would cost there less what s would
};

/// What sums of weights are made of: 16 lanes for each tile, and one more row for all.
using ShortSums = PaddedRows<std::uint32_t>;

struct ShortKernels {
  InstructionSet set;
  double entries_per_second;  ///< of whole exchanges; deliberately below what a current core does
  /// By slot, the sum over all items of `flow` with the item times the cost of the way to it.
  void (*combine)(const ShortMatrices&, const ShortPlaces&, const std::int8_t* flows, std::int32_t* sums);
  void (*measure)(const ShortMatrices&, const ShortPlaces&, const ShortScale&, ItemPair, ShortStep&);
  /// Writes to the table what exchanges with r and s will change after theirs, less the step.
  void (*move_ends)(const ShortMatrices&, const ShortPlaces&, const ShortScale&, ItemPair, const ShortStep&,
                    ShortTiles&);
  /// Adds the step to all entries, and their weights thereafter by lane. The sum of all.
  std::uint32_t (*update_and_weigh)(ShortTiles&, const ShortStep&, ShortSums&);
  /// Where `rest`, below the sum of weights, is when they are laid end to end: by lane, tile and row.
  ItemPair (*find)(const ShortTiles&, const ShortSums&, std::uint32_t rest);
};

/// Those that this processor can run, the fastest last; the first is plain.
[[nodiscard]] std::span<const ShortKernels> short_kernels();

}  // namespace topowise
