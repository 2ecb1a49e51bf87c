// SPDX-License-Identifier: BSD-3-Clause
// Which pairs may be measured at the same time.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise::probe {

using PairOfPlaces = std::pair<Place, Place>;
using Round = std::vector<PairOfPlaces>;

/// All pairs, first place before second, in order.
[[nodiscard]] std::vector<PairOfPlaces> all_pairs(std::size_t places);

/// The same pairs in the order of a tournament: neighbours in this order share no place, so that few rounds are enough.
[[nodiscard]] std::vector<PairOfPlaces> tournament(std::size_t places);

/// Numbers of what a pair occupies beside its places while it is measured. None: that is not known.
using Occupies = std::function<std::vector<std::size_t>(const PairOfPlaces&)>;

/// Rounds of at most `most` pairs that share no place and nothing that they occupy. A pair for which it is not known
/// what it occupies is alone in its round. Each pair goes into the first round that takes it.
[[nodiscard]] std::vector<Round> rounds(const std::vector<PairOfPlaces>& pairs, const Occupies& occupies,
                                        std::size_t most);

/// The links of the routes of a pair, both directions; nothing if one of them is not known.
[[nodiscard]] std::vector<std::size_t> links_between(const Topology& machine, const PairOfPlaces& pair);

/// The same for pairs that occupy the links of their routes.
[[nodiscard]] std::vector<Round> rounds(const Topology& machine, const std::vector<PairOfPlaces>& pairs,
                                        std::size_t most);

}  // namespace topowise::probe
