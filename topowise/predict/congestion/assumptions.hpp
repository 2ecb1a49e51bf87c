// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a statement about a machine rests on beyond what its sources state.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic/exchange.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

using PairsOfPlaces = std::vector<std::pair<Place, Place>>;

/// Topology::assumptions() and, for a statement about transfers between `pairs` of places, the rates of links on their
/// routes that no source states: those that a reader assumes ("NVLink of 25 GB/s a link"), and those that the model
/// takes for a kind of link ("network links of 12.5 GB/s where no source states it"). A few words each. `parameters` is
/// what a user says against the machine. O(pairs x route length).
[[nodiscard]] std::vector<std::string> assumptions_of(const Topology& topology,
                                                      std::span<const std::pair<Place, Place>> pairs = {},
                                                      const CongestionParameters& parameters = {});

/// The same for the numbers of pairs that a machine itself has, in which nothing is the model's, and no link's rate
/// counts where the pairs are measured.
[[nodiscard]] std::vector<std::string> assumptions_of_readers(const Topology& topology,
                                                              std::span<const std::pair<Place, Place>> pairs);

/// The pairs of different places between which bytes go, each once.
[[nodiscard]] PairsOfPlaces pairs_that_talk(const Traffic& traffic, const Mapping& mapping);
[[nodiscard]] PairsOfPlaces pairs_that_talk(const Exchange& exchange, const Mapping& mapping);

/// Pairs whose routes take the links of any route between these places, for a statement about all mappings onto them:
/// all pairs, and of many places those of the first one and of neighbours, which use the links of a tree and its bonds.
[[nodiscard]] PairsOfPlaces pairs_among(std::span<const Place> places);

}  // namespace topowise
