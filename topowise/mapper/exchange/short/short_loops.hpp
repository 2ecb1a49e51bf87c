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
using Words = typename Wide<std::uint32_t, Set::kBytes>::Vector;
template <class Set>
using Shorts = typename Wide<std::int16_t, Set::kBytes>::Vector;
/// As many numbers as there are in a wider vector of numbers twice as long.
template <class Set>
using Bytes = typename Wide<std::int8_t, Set::kBytes / 2>::Vector;
template <class Set>
using HalfShorts = typename Wide<std::uint16_t, Set::kBytes / 2>::Vector;

template <class Set>
TOPOWISE_SET_INLINE Shorts<Set> lanes() {
  Shorts<Set> result;
  for (std::size_t k = 0; k < Set::kBytes / 2; ++k) result[k] = static_cast<std::int16_t>(k);
  return result;
}

template <class Set>
TOPOWISE_SET_INLINE Shorts<Set> widened(const std::int8_t* numbers) {
  Bytes<Set> bytes;
  load(bytes, numbers);
  return __builtin_convertvector(bytes, Shorts<Set>);
}

/// Let r stand on slot P before and s on Q, F be the flow between the two and C the cost between the slots, and h_k(q)
/// what facility k would cost on slot q. What an exchange of r and j changes, with j on slot J,
/// h_r(J) - h_r(P) + h_j(P) - h_j(J) + 2 F_rj C_PJ, becomes that with r on Q. With apart(j) = h_j(P) - h_j(Q) before,
/// and the product with costs after, it grows by apart(r) - apart(j) - 2 F_rj (C_PJ - C_QJ) more than by the product.
/// Of s likewise, with other signs.
template <class Set>
TOPOWISE_SET_INLINE void measure(const ShortMatrices& matrices, const ShortPlaces& slot_of_facility,
                                 const ShortScale& scale, FacilityPair pair, ShortStep& step) {
  const auto [r, s] = pair;
  const std::int8_t* flows_r = matrices.flows[r];
  const std::int8_t* flows_s = matrices.flows[s];
  const std::int8_t* costs_r = matrices.costs[slot_of_facility[r]];
  const std::int8_t* costs_s = matrices.costs[slot_of_facility[s]];
  ShortRow<std::int8_t> by_slot, costs;
  for (std::size_t slot = 0; slot < kMostShortItems; ++slot)
    by_slot[slot] = static_cast<std::int8_t>(costs_r[slot] - costs_s[slot]);
  Set::permute_bytes(by_slot.data(), slot_of_facility.data(), costs.data());
  const ShortRow<std::int32_t>& apart = step.apart;
  Set::combine(matrices, costs.data(), step.apart.data());
  const int both = 2 * flows_r[s] * costs_r[slot_of_facility[s]];
  step.pair = pair;
  step.change = apart[s] - apart[r] + both;
  ShortRow<std::int16_t> apart_in_entries{};
  const std::size_t facilities = matrices.in_whole_blocks();
  for (std::size_t j = 0; j < facilities; ++j) apart_in_entries[j] = scale.entry(apart[j]);
  const Shorts<Set> all_r = Shorts<Set>{} + scale.entry(apart[r]);
  const Shorts<Set> all_s = Shorts<Set>{} + scale.entry(-apart[s]);
  const Shorts<Set> cost_factor = Shorts<Set>{} + scale.cost_factor();
  const auto twice_flow_factor = static_cast<std::int16_t>(2 * scale.flow_factor());
  const Shorts<Set> cost =
      Set::scaled_product((Shorts<Set>{} + costs_r[slot_of_facility[s]]) << scale.cost_shift(), cost_factor);
  for (std::size_t j = 0; j < facilities; j += Set::kBytes / 2) {
    const Shorts<Set> index = lanes<Set>() + static_cast<std::int16_t>(j);
    const auto is_r = index == static_cast<std::int16_t>(r);
    const auto is_s = index == static_cast<std::int16_t>(s);
    const Shorts<Set> with_r = widened<Set>(flows_r + j);
    const Shorts<Set> with_s = widened<Set>(flows_s + j);
    const Shorts<Set> before = Set::scaled_product(widened<Set>(&costs[j]) << scale.cost_shift(), cost_factor);
    const Shorts<Set> more_r = Set::scaled_product(with_r * twice_flow_factor, before);
    const Shorts<Set> more_s = Set::scaled_product(with_s * twice_flow_factor, before);
    Shorts<Set> entries;
    load(entries, &apart_in_entries[j]);
    const Shorts<Set> none = {};  // their own exchange is another matter
    store((with_r - with_s) * scale.flow_factor(), &step.flows[j]);
    store(is_r ? cost : is_s ? -cost : before, &step.costs[j]);
    store(is_s ? none : Set::saturated_sum(Set::saturated_sum(all_r, -entries), -more_r), &step.more[0][j]);
    store(is_r ? none : Set::saturated_sum(Set::saturated_sum(all_s, entries), more_s), &step.more[1][j]);
  }
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

/// Adds to the entries of `end` that lie in its row.
template <class Set>
TOPOWISE_SET_INLINE void add_to_row(const ShortRow<std::int16_t>& more, std::size_t end, ShortTiles& table) {
  const std::size_t block = end / kShortSide;
  const std::size_t lane = end % kShortSide;
  const std::uint32_t of_row = lane % 2 == 0 ? 0xffff : 0xffff0000;
  for (std::size_t other = block; other < table.blocks(); ++other) {
    std::int16_t* words = table[ShortTiles::tile(block, other)] + lane / 2 * kShortGroups;
    for (std::size_t k = 0; k < kShortSide; k += Set::kBytes / 4) {
      Shorts<Set> entries;
      load(entries, words + 2 * k);
      const auto added = reinterpret_cast<Words<Set>>(twice<Set>(&more[other * kShortSide + k])) & of_row;
      store(Set::saturated_sum(entries, reinterpret_cast<Shorts<Set>>(added)), words + 2 * k);
    }
  }
}

/// What is added to a column, by row, and where it lies in a vector: all bits of one word are set.
template <class Set>
struct ShortColumn {
  const std::int16_t* more = nullptr;
  Words<Set> lane = {};
};

template <class Set, bool kMasked, std::size_t kColumns>
TOPOWISE_SET_INLINE Shorts<Set> update(std::int16_t* tile, const std::int16_t* mask, const ShortStep& step,
                                       std::size_t row, Shorts<Set> flows, Shorts<Set> costs,
                                       const ShortColumn<Set>* columns) {
  Shorts<Set> least = Shorts<Set>{} + kNever;
#pragma GCC unroll 8
  for (std::size_t k = 0; k < kShortSide; k += 2) {
    Shorts<Set> entries;
    load(entries, tile + k * kShortSide);
#pragma GCC unroll 2
    for (std::size_t c = 0; c < kColumns; ++c) {
      const auto more = reinterpret_cast<Words<Set>>(two_rows<Set>(columns[c].more + row + k)) & columns[c].lane;
      entries = Set::saturated_sum(entries, reinterpret_cast<Shorts<Set>>(more));
    }
    entries = Set::saturated_sum(entries, Set::scaled_product(two_rows<Set>(&step.flows[row + k]) - flows,
                                                              two_rows<Set>(&step.costs[row + k]) - costs));
    if constexpr (kMasked) {
      Shorts<Set> at_least;
      load(at_least, mask + k * kShortSide);
      entries = entries > at_least ? entries : at_least;
    }
    store(entries, tile + k * kShortSide);
    least = entries < least ? entries : least;
  }
  return least;
}

/// Of all tiles of some columns of numbers.
template <class Set, std::size_t kColumns>
TOPOWISE_SET_INLINE void update(ShortTiles& table, std::size_t block, std::size_t lane, const ShortStep& step,
                                const ShortColumn<Set>* columns, ShortLeast& least) {
  const Shorts<Set> flows = twice<Set>(&step.flows[block * kShortSide + lane]);
  const Shorts<Set> costs = twice<Set>(&step.costs[block * kShortSide + lane]);
  const std::size_t first = ShortTiles::tile(0, block);
  // Whatever is stored might be what these come from, for all that a compiler knows.
  std::int16_t* entries = table[first] + 2 * lane;
  std::int16_t* of_groups = least[first] + 2 * lane;
  const ShortTiles::Masks masks = table.masks();
  for (std::size_t tile = 0; tile <= block; ++tile) {
    const std::int16_t* mask = masks[first + tile];
    const std::size_t row = tile * kShortSide;
    store(mask == nullptr ? update<Set, false, kColumns>(entries, nullptr, step, row, flows, costs, columns)
                          : update<Set, true, kColumns>(entries, mask + 2 * lane, step, row, flows, costs, columns),
          of_groups);
    entries += ShortTiles::kTile;
    of_groups += kShortGroups;
  }
}

template <class Set>
TOPOWISE_SET_INLINE void update(ShortTiles& table, const ShortStep& step, ShortLeast& least) {
  constexpr std::size_t kWords = Set::kBytes / 4;
  const std::size_t ends[2] = {step.pair.i, step.pair.j};
  for (std::size_t k = 0; k < 2; ++k) add_to_row<Set>(step.more[k], ends[k], table);
  for (std::size_t block = 0; block < table.blocks(); ++block) {
    for (std::size_t lane = 0; lane < kShortSide; lane += kWords) {
      const std::size_t first = block * kShortSide + lane;
      ShortColumn<Set> columns[2];
      std::size_t count = 0;
      for (std::size_t k = 0; k < 2; ++k) {
        if (ends[k] - first >= kWords) continue;
        const auto here = static_cast<std::int16_t>(ends[k] - first);
        columns[count++] = {.more = step.more[k].data(),
                            .lane = reinterpret_cast<Words<Set>>(lanes<Set>() / 2 == here)};
      }
      if (count == 0) update<Set, 0>(table, block, lane, step, columns, least);
      if (count == 1) update<Set, 1>(table, block, lane, step, columns, least);
      if (count == 2) update<Set, 2>(table, block, lane, step, columns, least);
    }
  }
}

template <class Set>
TOPOWISE_SET_INLINE Shorts<Set> with_lots(const ShortLeast& least, const std::int16_t* lots, std::size_t group) {
  Shorts<Set> entries, drawn;
  load(entries, least[0] + group);
  std::memcpy(&drawn, lots + group, sizeof drawn);
  return Set::saturated_sum(entries, drawn);
}

template <class Set>
TOPOWISE_SET_INLINE ShortFirst first(const ShortLeast& least, std::size_t tiles, const std::int16_t* lots) {
  constexpr std::size_t kCount = Set::kBytes / 2;
  const std::size_t groups = tiles * kShortGroups;
  Shorts<Set> lowest = Shorts<Set>{} + kNever;
  for (std::size_t group = 0; group < groups; group += kCount) {
    const Shorts<Set> sums = with_lots<Set>(least, lots, group);
    lowest = sums < lowest ? sums : lowest;
  }
  const std::int16_t sum = Set::least(lowest);
  for (std::size_t group = 0; group < groups; group += kCount) {
    const std::size_t lane = Set::first_equal(with_lots<Set>(least, lots, group), Shorts<Set>{} + sum);
    if (lane < kCount) return {(group + lane) / kShortGroups, (group + lane) % kShortGroups, sum};
  }
  return {0, 0, kNever};
}

}  // namespace topowise::short_loops

/// Of a set, as functions for its instructions; into these the loops are inlined.
#define TOPOWISE_SHORT_KERNELS(SET, NAME, PACE)                                                              \
  TOPOWISE_SET void combine(const ShortMatrices& matrices, const std::int8_t* numbers, std::int32_t* sums) { \
    SET::combine(matrices, numbers, sums);                                                                   \
  }                                                                                                          \
  TOPOWISE_SET void measure(const ShortMatrices& matrices, const ShortPlaces& slot_of_facility,              \
                            const ShortScale& scale, FacilityPair pair, ShortStep& step) {                   \
    short_loops::measure<SET>(matrices, slot_of_facility, scale, pair, step);                                \
  }                                                                                                          \
  TOPOWISE_SET void update(ShortTiles& table, const ShortStep& step, ShortLeast& least) {                    \
    short_loops::update<SET>(table, step, least);                                                            \
  }                                                                                                          \
  TOPOWISE_SET ShortFirst first(const ShortLeast& least, std::size_t tiles, const std::int16_t* lots) {      \
    return short_loops::first<SET>(least, tiles, lots);                                                      \
  }                                                                                                          \
  constexpr ShortKernels kKernels = {InstructionSet::NAME, PACE, combine, measure, update, first}
