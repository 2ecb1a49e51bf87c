// SPDX-License-Identifier: BSD-3-Clause
// Which pairs may be measured at the same time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise::probe {

using PairOfPlaces = std::pair<Place, Place>;

/// All pairs, first place before second, in order.
[[nodiscard]] std::vector<PairOfPlaces> all_pairs(std::size_t places);

/// Rounds of at most `most` pairs that share no place and no link of their routes, in either direction. A pair whose
/// route is not known is alone in its round. Each pair goes into the first round that takes it.
[[nodiscard]] std::vector<std::vector<PairOfPlaces>> rounds(const Topology& machine,
                                                            const std::vector<PairOfPlaces>& pairs, std::size_t most);

}  // namespace topowise::probe
