// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/exchange/short/short_tiles.hpp>

namespace topowise {

/// The times, exponentially distributed with mean 1, after which exchanges that change nothing are accepted, as
/// entries: their logarithm, 128 to the octave. An entry and a lot add up to the time of any other exchange, and the
/// first of all is each with the probability that it should have (D. T. Gillespie, Journal of Computational Physics 22,
/// 1976, "first reaction"). Nothing is summed up for that, but new lots are needed each time: they are read from a
/// circle of lots in random order, from a point chosen at random.
class ShortLots {
 public:
  /// Made when they are first asked for.
  [[nodiscard]] static const ShortLots& all();

  /// As many as a table has groups.
  [[nodiscard]] const std::int16_t* some(Random& random) const { return lots_.data() + random.below(kCircle); }

 private:
  static constexpr std::uint32_t kCircle = 1U << 16;  // 128 KiB

  ShortLots();

  std::vector<std::int16_t> lots_;
};

}  // namespace topowise
