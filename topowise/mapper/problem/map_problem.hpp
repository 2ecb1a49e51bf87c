// SPDX-License-Identifier: BSD-3-Clause
// What a mapper is given, and what it gives back.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/mapper/problem/budget.hpp>
#include <topowise/predict/objective/objective.hpp>

namespace topowise {

/// A rank that has to be on a place.
struct FixedRank {
  Rank rank;
  Place place;
};

/// A question: where do these ranks go on this machine?
struct MapProblem {
  Traffic traffic;
  Topology topology;
  Objective objective = Objective::hop_bytes;
  Metric metric = Metric::distance;
  /// For predicted time by assumed rates: a mapping is taken only if its gain of time over the one for hop-bytes is as
  /// large a share as what it adds in hop-bytes, or if it is the identity.
  bool spares_hop_bytes = false;
  ObjectiveMix mix;            ///< of the objective of that name; map_ranks() divides by the costs of the identity
  std::vector<Place> allowed;  ///< places that may be used, in order; empty means all
  int ranks_per_place = 0;     ///< overrides every place's capacity if above 0
  /// If given, a place holds at most 1 + imbalance times its share, rounded up, of the ranks or of their load. Shares
  /// are proportional to the capacities of the places.
  std::optional<double> imbalance;
  /// The capacity of which shares are parts; 0: that of the allowed places. Above it where others are usable, too,
  /// which a search leaves out.
  std::size_t whole_capacity = 0;
  std::vector<int> loads;        ///< of every rank, above 0; empty means 1 each. Needs an imbalance.
  std::vector<FixedRank> fixed;  ///< distinct ranks
  std::uint64_t seed = 1;
};

[[nodiscard]] inline bool is_constrained(const MapProblem& problem) {
  return !problem.fixed.empty() || !problem.loads.empty();
}

/// An answer, before it is compared with the identity.
struct MapperAnswer {
  Mapping mapping;
  double cost = 0;
  double lower_bound = 0;  ///< 0 if the mapper proves nothing
  bool proven_optimal = false;
  bool bounded = false;             ///< `lower_bound` is at least what lower_bound() finds
  std::optional<Mapping> spared{};  ///< a faster mapping that was not taken, see MapProblem::spares_hop_bytes
};

}  // namespace topowise
