// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <topowise/mapper/exchange/facilities.hpp>
#include <topowise/mapper/exchange/padded_rows.hpp>
#include <topowise/mapper/exchange/short/short_entries.hpp>

namespace topowise {

/// As many facilities as fit into a short table: two vectors of bytes.
inline constexpr std::size_t kMostShortItems = 128;
inline constexpr std::size_t kShortSide = 16;
/// In each column of a tile every second row is a group: what stands in one lane of the tile's vectors.
inline constexpr std::size_t kShortGroups = 2 * kShortSide;
inline constexpr std::size_t kOfGroup = kShortSide / 2;

/// A number for each facility.
template <class Number>
struct alignas(64) ShortRow : std::array<Number, kMostShortItems> {};

/// An entry for every two facilities i < j, of which i is a rank, in tiles of 16 rows i and 16 columns j. Two rows lie
/// in one block of 64 bytes, number beside number: both of a column are one word of 32 bits, so that a column is read
/// and written in half as many moves, and what belongs to two rows fills a vector by one load. Else there is kNever.
class ShortTiles {
 public:
  static constexpr std::size_t kTile = kShortSide * kShortSide;
  static constexpr std::size_t kMostBlocks = kMostShortItems / kShortSide;
  static constexpr std::size_t kMostTiles = kMostBlocks * (kMostBlocks + 1) / 2;

  ShortTiles(std::size_t ranks, std::size_t facilities)
      : blocks_((facilities + kShortSide - 1) / kShortSide),
        entries_(tiles(), kTile, kNever),
        mask_of_(tiles(), kNoMask) {
    std::vector<std::array<std::int16_t, kTile>> masks;  // most tiles that need one need the same
    for (std::size_t tile = 0; tile < tiles(); ++tile) {
      std::array<std::int16_t, kTile> mask;
      for (std::size_t k = 0; k < kTile; ++k) {
        const std::size_t i = first_row(tile) + k / (2 * kShortSide) * 2 + k % 2;
        const std::size_t j = first_column(tile) + k % (2 * kShortSide) / 2;
        mask[k] = i < j && i < ranks && j < facilities ? INT16_MIN : kNever;
      }
      if (std::ranges::count(mask, kNever) == 0) continue;
      mask_of_[tile] = static_cast<std::size_t>(std::ranges::find(masks, mask) - masks.begin());
      if (mask_of_[tile] == masks.size()) masks.push_back(mask);
    }
    masks_ = PaddedRows<std::int16_t>(masks.size(), kTile, kNever);
    for (std::size_t k = 0; k < masks.size(); ++k) std::ranges::copy(masks[k], masks_[k]);
  }

  [[nodiscard]] std::size_t blocks() const { return blocks_; }
  [[nodiscard]] std::size_t tiles() const { return blocks_ * (blocks_ + 1) / 2; }
  [[nodiscard]] static constexpr std::size_t tile(std::size_t row_block, std::size_t column_block) {
    return column_block * (column_block + 1) / 2 + row_block;
  }
  [[nodiscard]] static std::size_t first_row(std::size_t tile) { return kFirst[tile].row; }
  [[nodiscard]] static std::size_t first_column(std::size_t tile) { return kFirst[tile].column; }

  [[nodiscard]] std::int16_t* operator[](std::size_t tile) { return entries_[0] + tile * kTile; }
  [[nodiscard]] const std::int16_t* operator[](std::size_t tile) const { return entries_[0] + tile * kTile; }
  /// Of each tile: kNever where there is no entry and the least number elsewhere; null if there are entries everywhere.
  struct Masks {
    [[nodiscard]] const std::int16_t* operator[](std::size_t tile) const {
      return of[tile] == kNoMask ? nullptr : rows + of[tile] * kTile;
    }
    const std::size_t* of = nullptr;
    const std::int16_t* rows = nullptr;
  };
  [[nodiscard]] Masks masks() const { return {mask_of_.data(), masks_[0]}; }

  /// Where the first of a group's entries stands that is `entry`.
  [[nodiscard]] FacilityPair find(std::size_t tile, std::size_t group, std::int16_t entry) const {
    const std::int16_t* entries = (*this)[tile] + group;
    unsigned equal = 0;  // no branch would be foreseen
#pragma GCC unroll 8
    for (unsigned k = 0; k < kOfGroup; ++k) equal |= unsigned{entries[k * kShortGroups] == entry} << k;
    const auto k = static_cast<std::size_t>(std::countr_zero(equal));
    return {static_cast<std::uint32_t>(first_row(tile) + 2 * k + group % 2),
            static_cast<std::uint32_t>(first_column(tile) + group / 2)};
  }

  [[nodiscard]] std::int16_t& at(std::size_t i, std::size_t j) {
    return (*this)[tile_of(i, j)][place_of(i, j)];
  }
  [[nodiscard]] std::int16_t at(std::size_t i, std::size_t j) const {
    return (*this)[tile_of(i, j)][place_of(i, j)];
  }

 private:
  static constexpr std::size_t kNoMask = SIZE_MAX;
  struct First {
    std::uint8_t row, column;
  };
  static constexpr auto kFirst = [] {
    std::array<First, kMostTiles> first{};
    std::size_t next = 0;
    for (std::size_t column = 0; column < kMostBlocks; ++column) {
      for (std::size_t row = 0; row <= column; ++row)
        first[next++] = {static_cast<std::uint8_t>(row * kShortSide), static_cast<std::uint8_t>(column * kShortSide)};
    }
    return first;
  }();

  [[nodiscard]] static std::size_t tile_of(std::size_t i, std::size_t j) {
    return tile(i / kShortSide, j / kShortSide);
  }
  [[nodiscard]] static std::size_t place_of(std::size_t i, std::size_t j) {
    return i % kShortSide / 2 * 2 * kShortSide + j % kShortSide * 2 + i % 2;
  }

  std::size_t blocks_;
  PaddedRows<std::int16_t> entries_;
  std::vector<std::size_t> mask_of_;  ///< each tile
  PaddedRows<std::int16_t> masks_;
};

}  // namespace topowise
