// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/exchange/short/short_kernels.hpp>

namespace topowise {

/// What short kernels look up one by one, where there is no instruction that permutes 128 bytes.
struct ShortLookups {
  static void permute_bytes(const std::int8_t* from, const std::uint8_t* index, std::int8_t* to) {
    for (std::size_t k = 0; k < kMostShortItems; ++k) to[k] = from[index[k]];
  }

  static void permute_words(const std::int16_t* from, const std::uint8_t* index, std::size_t count, std::int16_t* to) {
    for (std::size_t k = 0; k < count; ++k) to[k] = from[index[k]];
  }

  template <class Weight>
  static std::size_t choose(std::size_t count, std::uint32_t& rest, const Weight& weight_at) {
    for (std::size_t k = 0; k + 1 < count; ++k) {
      const std::uint32_t weight = weight_at(k);
      if (rest < weight) return k;
      rest -= weight;
    }
    return count - 1;
  }
  static std::size_t choose_of_lanes(const std::uint32_t* all, std::uint32_t& rest) {
    return choose(kShortSide, rest, [&](std::size_t lane) { return all[lane]; });
  }
  static std::size_t choose_of_tiles(const std::uint32_t* sums, std::size_t tiles, std::uint32_t& rest) {
    return choose(tiles, rest, [&](std::size_t tile) { return sums[tile * kShortSide]; });
  }
  static std::size_t choose_of_rows(const std::int16_t* column, std::uint32_t& rest) {
    return choose(kShortSide, rest,
                  [&](std::size_t row) { return weight_of(column[row / 2 * 2 * kShortSide + row % 2]); });
  }
};

}  // namespace topowise
