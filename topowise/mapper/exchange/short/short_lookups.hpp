// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include <topowise/mapper/exchange/short/short_kernels.hpp>

namespace topowise {

/// What short kernels do number by number, where there is no instruction for it.
struct ShortLookups {
  static void permute_bytes(const std::int8_t* from, const std::uint8_t* index, std::int8_t* to) {
    for (std::size_t k = 0; k < kMostShortItems; ++k) to[k] = from[index[k]];
  }

  template <class Vector>
  static std::int16_t least(const Vector& numbers) {
    std::int16_t result = numbers[0];
    for (std::size_t k = 1; k < sizeof(Vector) / sizeof(std::int16_t); ++k)
      result = std::min<std::int16_t>(result, numbers[k]);
    return result;
  }
};

}  // namespace topowise
