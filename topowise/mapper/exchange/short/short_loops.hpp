// SPDX-License-Identifier: BSD-3-Clause
// The loops of short kernels that compilers turn into vector instructions themselves. `Set`, a class of the file that
// includes this, has those that they do not; TOPOWISE_SET is the attribute of all functions for its instructions.
#pragma once

#include <algorithm>
#include <cstring>

#include <topowise/mapper/exchange/short/short_kernels.hpp>

#define TOPOWISE_SET_INLINE TOPOWISE_SET [[gnu::always_inline]] inline

namespace topowise::short_loops {

template <class Set>
TOPOWISE_SET_INLINE void combine(const ShortMatrices& matrices, const ShortPlaces& places, const std::int8_t* flows,
                                 std::int32_t* sums) {
  ShortRow<std::int8_t> by_slot;
  Set::permute_bytes(flows, places.item_of_slot.data(), by_slot.data());
  Set::combine_by_slot(matrices, by_slot.data(), sums);
}

template <class Set>
using Words = typename Wide<std::uint32_t, Set::kBytes>::Vector;
template <class Set>
using Shorts = typename Wide<std::int16_t, Set::kBytes>::Vector;
/// As many numbers as there are in a wider vector of numbers twice as long.
template <class Set>
using Bytes = typename Wide<std::int8_t, Set::kBytes / 2>::Vector;
template <class Set>
using HalfShorts = typename Wide<std::uint16_t, Set::kBytes / 2>::Vector;

template <class Set>
TOPOWISE_SET_INLINE Shorts<Set> scaled_costs(const std::int8_t* costs, const ShortScale& scale) {
  Bytes<Set> bytes;
  load(bytes, costs);
  return Set::scaled_product(__builtin_convertvector(bytes, Shorts<Set>) << scale.cost_shift(),
                             Shorts<Set>{} + scale.cost_factor());
}

template <class Set>
TOPOWISE_SET_INLINE void measure(const ShortMatrices& matrices, const ShortPlaces& places, const ShortScale& scale,
                                 ItemPair pair, ShortStep& step) {
  const auto [r, s] = pair;
  ShortRow<std::int8_t> flows;
  ShortRow<std::int8_t> costs_r;
  ShortRow<std::int8_t> costs_s;
  const std::int8_t* of_r = matrices.flows[r];
  const std::int8_t* of_s = matrices.flows[s];
  for (std::size_t i = 0; i < kMostShortItems; ++i) flows[i] = static_cast<std::int8_t>(of_r[i] - of_s[i]);
  Set::permute_bytes(matrices.costs[places.slot_of_item[r]], places.slot_of_item.data(), costs_r.data());
  Set::permute_bytes(matrices.costs[places.slot_of_item[s]], places.slot_of_item.data(), costs_s.data());
  for (std::size_t i = 0; i < matrices.items; i += Set::kBytes / 2) {
    Bytes<Set> bytes;
    load(bytes, &flows[i]);
    store(__builtin_convertvector(bytes, Shorts<Set>) * scale.flow_factor(), &step.flows[i]);
    const Shorts<Set> to_r = scaled_costs<Set>(&costs_r[i], scale);
    const Shorts<Set> to_s = scaled_costs<Set>(&costs_s[i], scale);
    store(to_r, &step.costs_r[i]);
    store(to_s, &step.costs_s[i]);
    store(to_r - to_s, &step.costs[i]);
  }
  combine<Set>(matrices, places, flows.data(), step.apart.data());
}

/// What exchanges with `end` change, by item.
template <class Set>
TOPOWISE_SET_INLINE void read(const ShortTiles& table, std::size_t end, ShortRow<std::int16_t>& row) {
  const std::size_t block = end / kShortSide;
  const std::size_t lane = end % kShortSide;
  const auto shift = static_cast<std::uint32_t>(lane % 2 * 16);
  for (std::size_t other = block; other < table.blocks(); ++other) {
    const std::int16_t* words = table[ShortTiles::tile(block, other)] + lane / 2 * 2 * kShortSide;
    for (std::size_t k = 0; k < kShortSide; k += Set::kBytes / 4) {
      Words<Set> both;
      load(both, words + 2 * k);
      store(__builtin_convertvector(both >> shift, HalfShorts<Set>), &row[other * kShortSide + k]);
    }
  }
  const auto copy_two = [&](const std::int16_t* words, std::size_t k) {
    std::memcpy(&row[k], words + k % kShortSide * kShortSide, sizeof(std::uint32_t));
  };
  for (std::size_t other = 0; other < block; ++other) {
    const std::int16_t* words = table[ShortTiles::tile(other, block)] + 2 * lane;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kShortSide; k += 2) copy_two(words, other * kShortSide + k);
  }
  const std::int16_t* own = table[ShortTiles::tile(block, block)] + 2 * lane;
  for (std::size_t k = 0; k < lane / 2 * 2; k += 2) copy_two(own, block * kShortSide + k);
  if (lane % 2 == 1) row[end - 1] = own[lane / 2 * 2 * kShortSide];
}

/// Also where there are no entries: these become kNever again when the table is updated.
template <class Set>
TOPOWISE_SET_INLINE void write(const ShortRow<std::int16_t>& row, std::size_t end, ShortTiles& table) {
  const std::size_t block = end / kShortSide;
  const std::size_t lane = end % kShortSide;
  const auto shift = static_cast<std::uint32_t>(lane % 2 * 16);
  const std::uint32_t kept = lane % 2 == 0 ? 0xffff0000 : 0xffff;
  for (std::size_t other = block; other < table.blocks(); ++other) {
    std::int16_t* words = table[ShortTiles::tile(block, other)] + lane / 2 * 2 * kShortSide;
    for (std::size_t k = 0; k < kShortSide; k += Set::kBytes / 4) {
      HalfShorts<Set> entries;
      Words<Set> both;
      load(entries, &row[other * kShortSide + k]);
      load(both, words + 2 * k);
      store((both & kept) | __builtin_convertvector(entries, Words<Set>) << shift, words + 2 * k);
    }
  }
  for (std::size_t other = 0; other <= block; ++other) {
    std::int16_t* words = table[ShortTiles::tile(other, block)] + 2 * lane;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kShortSide; k += 2)
      std::memcpy(words + k * kShortSide, &row[other * kShortSide + k], sizeof(std::uint32_t));
  }
}

/// Let P and Q be the slots of r and s before, F the flow between the two and C the cost between the slots, and h_k(q)
/// what item k would cost on slot q. What an exchange of j and the item on Q changes,
/// h_s(j) - h_s(Q) + h_j(Q) - h_j(j) + 2 F_sj C_Qj, becomes that of the other item: with apart = h_r - h_s before, and
/// the step taken off, it grows by apart(j) - apart(Q) - 2 F C + 2 flows_j (C_Qj - C). Of P likewise, with other signs.
template <class Set>
TOPOWISE_SET_INLINE void move_ends(const ShortMatrices& matrices, const ShortPlaces& places, const ShortScale& scale,
                                   ItemPair pair, const ShortStep& step, ShortTiles& table) {
  const auto [r, s] = pair;
  const std::size_t items = table.blocks() * kShortSide;
  ShortRow<std::int16_t> apart{};
  for (std::size_t slot = 0; slot < items; ++slot) apart[slot] = scale.entry(step.apart[slot]);
  const std::uint8_t slot_r = places.slot_of_item[r];
  const std::uint8_t slot_s = places.slot_of_item[s];
  const int back = scale.entry(2 * matrices.flows[r][s] * matrices.costs[slot_r][slot_s]);
  const Shorts<Set> all_r = Shorts<Set>{} + saturated(-apart[slot_s] - back);
  const Shorts<Set> all_s = Shorts<Set>{} + saturated(apart[slot_r] - back);
  const std::int16_t between = step.costs_r[s];
  ShortRow<std::int16_t> by_item;
  Set::permute_words(apart.data(), places.slot_of_item.data(), items, by_item.data());
  ShortRow<std::int16_t> row_r;
  ShortRow<std::int16_t> row_s;
  read<Set>(table, r, row_s);  // r will stand where s does
  read<Set>(table, s, row_r);
  if (s >= matrices.ranks) std::fill(row_r.begin() + matrices.ranks, row_r.end(), kEntryOfNothing);  // two nobodies
  for (std::size_t j = 0; j < items; j += Set::kBytes / 2) {
    Shorts<Set> more, flows, costs_r, costs_s, old_r, old_s;
    load(more, &by_item[j]);
    load(flows, &step.flows[j]);
    load(costs_r, &step.costs_r[j]);
    load(costs_s, &step.costs_s[j]);
    load(old_r, &row_r[j]);
    load(old_s, &row_s[j]);
    const Shorts<Set> at_s = Set::scaled_product(flows, 2 * (costs_s - between));
    const Shorts<Set> at_r = Set::scaled_product(flows, 2 * (costs_r - between));
    store(Set::saturated_sum(old_r, Set::saturated_sum(Set::saturated_sum(all_r, more), at_s)), &row_r[j]);
    store(Set::saturated_sum(old_s, Set::saturated_sum(Set::saturated_sum(all_s, -more), -at_r)), &row_s[j]);
  }
  write<Set>(row_r, r, table);
  write<Set>(row_s, s, table);
}

/// Two rows' numbers, for all columns.
template <class Set>
TOPOWISE_SET_INLINE Shorts<Set> two_rows(const std::int16_t* numbers) {
  std::uint32_t word = 0;
  std::memcpy(&word, numbers, sizeof word);
  return reinterpret_cast<Shorts<Set>>(Words<Set>{} + word);
}
/// Numbers of columns, each twice.
template <class Set>
TOPOWISE_SET_INLINE Shorts<Set> twice(const std::int16_t* numbers) {
  HalfShorts<Set> single;
  load(single, numbers);
  const Words<Set> words = __builtin_convertvector(single, Words<Set>);
  return reinterpret_cast<Shorts<Set>>(words | words << 16);
}

template <class Set, bool kMasked>
TOPOWISE_SET_INLINE void update_and_weigh(std::int16_t* tile, const std::int16_t* mask, const std::int16_t* row_flows,
                                          const std::int16_t* row_costs, Shorts<Set> flows, Shorts<Set> costs,
                                          Words<Set>& sum) {
#pragma GCC unroll 8
  for (std::size_t k = 0; k < kShortSide; k += 2) {
    Shorts<Set> entries;
    load(entries, tile + k * kShortSide);
    entries = Set::saturated_sum(
        entries, Set::scaled_product(two_rows<Set>(row_flows + k) - flows, two_rows<Set>(row_costs + k) - costs));
    if constexpr (kMasked) {
      Shorts<Set> least;
      load(least, mask + k * kShortSide);
      entries = entries > least ? entries : least;
    }
    store(entries, tile + k * kShortSide);
    Set::add_weights(entries, sum);
  }
}

template <class Set>
TOPOWISE_SET_INLINE std::uint32_t update_and_weigh(ShortTiles& table, const ShortStep& step, ShortSums& sums) {
  // Whatever is stored might be what these come from, for all that a compiler knows.
  const std::size_t blocks = table.blocks();
  const ShortTiles::Masks masks = table.masks();
  std::int16_t* const first = table[0];
  std::uint32_t* const by_tile = sums[0];
  std::uint32_t* const by_lane = sums[table.tiles()];
  for (std::size_t lane = 0; lane < kShortSide; lane += Set::kBytes / 4) {
    Words<Set> all = {};
    std::size_t tile = 0;
    for (std::size_t column = 0; column < blocks; ++column) {
      const Shorts<Set> flows = twice<Set>(&step.flows[column * kShortSide + lane]);
      const Shorts<Set> costs = twice<Set>(&step.costs[column * kShortSide + lane]);
      for (std::size_t row = 0; row <= column; ++row, ++tile) {
        Words<Set> sum = {};
        std::int16_t* entries = first + tile * ShortTiles::kTile + 2 * lane;
        const std::int16_t* mask = masks[tile];
        const std::int16_t* row_flows = step.flows.data() + row * kShortSide;
        const std::int16_t* row_costs = step.costs.data() + row * kShortSide;
        if (mask == nullptr) {
          update_and_weigh<Set, false>(entries, nullptr, row_flows, row_costs, flows, costs, sum);
        } else {
          update_and_weigh<Set, true>(entries, mask + 2 * lane, row_flows, row_costs, flows, costs, sum);
        }
        store(sum, by_tile + tile * kShortSide + lane);
        all += sum;
      }
    }
    store(all, by_lane + lane);
  }
  std::uint32_t total = 0;
  for (std::size_t lane = 0; lane < kShortSide; ++lane) total += by_lane[lane];
  return total;
}

template <class Set>
TOPOWISE_SET_INLINE ItemPair find(const ShortTiles& table, const ShortSums& sums, std::uint32_t rest) {
  const std::size_t lane = Set::choose_of_lanes(sums[table.tiles()], rest);
  const std::size_t tile = Set::choose_of_tiles(sums[0] + lane, table.tiles(), rest);
  const std::size_t row = Set::choose_of_rows(table[tile] + 2 * lane, rest);
  return {static_cast<std::uint32_t>(ShortTiles::first_row(tile) + row),
          static_cast<std::uint32_t>(ShortTiles::first_column(tile) + lane)};
}

}  // namespace topowise::short_loops

/// Of a set, as functions for its instructions; into these the loops are inlined.
#define TOPOWISE_SHORT_KERNELS(SET, NAME, PACE)                                                                  \
  TOPOWISE_SET void combine(const ShortMatrices& matrices, const ShortPlaces& places, const std::int8_t* flows,  \
                            std::int32_t* sums) {                                                                \
    short_loops::combine<SET>(matrices, places, flows, sums);                                                    \
  }                                                                                                              \
  TOPOWISE_SET void measure(const ShortMatrices& matrices, const ShortPlaces& places, const ShortScale& scale,   \
                            ItemPair pair, ShortStep& step) {                                                    \
    short_loops::measure<SET>(matrices, places, scale, pair, step);                                              \
  }                                                                                                              \
  TOPOWISE_SET void move_ends(const ShortMatrices& matrices, const ShortPlaces& places, const ShortScale& scale, \
                              ItemPair pair, const ShortStep& step, ShortTiles& table) {                         \
    short_loops::move_ends<SET>(matrices, places, scale, pair, step, table);                                     \
  }                                                                                                              \
  TOPOWISE_SET std::uint32_t update_and_weigh(ShortTiles& table, const ShortStep& step, ShortSums& sums) {       \
    return short_loops::update_and_weigh<SET>(table, step, sums);                                                \
  }                                                                                                              \
  TOPOWISE_SET ItemPair find(const ShortTiles& table, const ShortSums& sums, std::uint32_t rest) {               \
    return short_loops::find<SET>(table, sums, rest);                                                            \
  }                                                                                                              \
  constexpr ShortKernels kKernels = {InstructionSet::NAME, PACE, combine, measure, move_ends, update_and_weigh, find}
