// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exchange/short/short_lots.hpp>

#include <algorithm>
#include <cmath>
#include <span>

#include <topowise/mapper/exchange/short/short_entries.hpp>

namespace topowise {

const ShortLots& ShortLots::all() {
  static const ShortLots lots;
  return lots;
}

/// One of each quantile, so that their distribution is exact.
ShortLots::ShortLots() : lots_(kCircle) {
  for (std::uint32_t k = 0; k < kCircle; ++k) {
    const double time = -std::log((k + 0.5) / kCircle);
    lots_[k] = static_cast<std::int16_t>(std::lround(kOctave * std::log2(time)));
  }
  Random random(1);
  random.shuffle(std::span(lots_));
  constexpr std::size_t kMostGroups = ShortTiles::kMostTiles * kShortGroups;
  lots_.resize(kCircle + kMostGroups);
  std::copy_n(lots_.begin(), kMostGroups, lots_.begin() + kCircle);
}

}  // namespace topowise
