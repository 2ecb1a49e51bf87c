// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Chooses a place for every rank.
///
/// @code
/// const topowise::MappingResult best =
///     topowise::map_ranks(topowise::load_traffic("app.traffic"), topowise::load_topology("live"));
/// std::cout << 100 * best.gain() << " % less than rank i on place i"
///           << (best.proven_optimal ? ", proven optimal\n" : "\n");
/// for (std::size_t rank = 0; rank < best.mapping.ranks(); ++rank)
///   std::cout << rank << " -> place " << best.mapping[topowise::Rank(rank)].index() << '\n';
/// @endcode
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <topowise/graph/objective.hpp>
#include <topowise/mapping.hpp>
#include <topowise/topology.hpp>
#include <topowise/traffic.hpp>

namespace topowise {

/// How map_ranks() maps. The defaults are those of `topowise map`.
struct MapRequest {
  std::string mapper = "auto";  ///< one of mapper_names()
  /// What is made small. If nothing is given, it is the predicted time, where the rates of all links between usable
  /// places are known and there are at most 512 ranks with 8192 messages; else hop-bytes, and so it is with a metric,
  /// with loads and with a mapper other than "auto". MappingResult::objective_reason says why.
  std::optional<Objective> objective = {};
  std::optional<Metric> metric = {};  ///< what a byte between two places costs, for hop-bytes; the distance
  double hop_share = 0.5;             ///< the weight of hop-bytes in Objective::mix, in [0, 1]
  std::vector<Place> allowed = {};    ///< places that may be used, in order; empty: all
  int ranks_per_place = 0;            ///< overrides the capacity of every place if above 0
  /// A place holds at most 1 + imbalance times its share of the ranks, or of their loads, rounded up.
  std::optional<double> imbalance = {};
  std::vector<int> loads = {};  ///< the load of every rank, above 0; empty: 1 each. Needs an imbalance.
  std::vector<std::pair<Rank, Place>> fixed = {};  ///< ranks that must be on a place
  std::uint64_t seed = 1;                          ///< same input and seed, same mapping
  Seconds time_limit = Seconds(10);                ///< the best mapping found by then is the answer
  /// The part of the time limit that goes to the lower bound alone. With 0 no bound is looked for, but a search may
  /// still prove one. If nothing is given, it is a twentieth of the limit and at most a second.
  std::optional<Seconds> bound_time = {};
  int threads = 0;  ///< 0: as many as the machine has
  /// May be set at any time, by another thread or a signal handler: the best mapping found by then is the answer.
  const std::atomic<bool>* stop = nullptr;
};

/// Lays the traffic onto the machine so that the objective is small. "auto" is never worse than rank i on place i, and
/// proves the optimum of hop-bytes for machines of up to 16 places or so, that of predicted time for up to 8 ranks. The
/// result gives the cost, that of rank i on place i, and a lower bound, all in the objective's unit: bytes x metric for
/// hop-bytes, seconds for max-congestion and predicted-time, a share of the identity's cost for mix.
///
/// Source: the mapping problem is that of Koopmans and Beckmann (1957); docs/models/mappers.md names each method's own.
/// @throws Error usage for an unknown mapper; bad_input for more ranks than places, constraints that contradict each
///   other, or a metric or objective that this machine's description does not know.
[[nodiscard]] MappingResult map_ranks(const Traffic& traffic, const Topology& machine, const MapRequest& request = {});

/// The mappers that MapRequest::mapper may name.
[[nodiscard]] std::vector<std::string> mapper_names();

}  // namespace topowise
