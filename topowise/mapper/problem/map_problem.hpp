// SPDX-License-Identifier: BSD-3-Clause
// What a mapper is given, and what it gives back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/mapper/problem/budget.hpp>
#include <topowise/predict/objective/objective.hpp>

namespace topowise {

/// A rank that has to stand on a place.
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
  ObjectiveMix mix;            ///< of the objective of that name; map_ranks() divides by the costs of the identity
  std::vector<Place> allowed;  ///< places that may be used, in order; empty means all
  int ranks_per_place = 0;     ///< overrides every place's capacity if above 0
  /// If given, a place holds at most 1 + imbalance times its share, rounded up, of the ranks or of their load. Shares
  /// are proportional to the capacities of the places.
  std::optional<double> imbalance;
  std::vector<int> loads;        ///< of every rank, above 0; empty means 1 each. Needs an imbalance.
  std::vector<FixedRank> fixed;  ///< distinct ranks
  std::uint64_t seed = 1;
};

/// An answer, before it is compared with the identity.
struct MapperAnswer {
  Mapping mapping;
  double cost = 0;
  double lower_bound = 0;  ///< 0 if the mapper proves nothing
  bool proven_optimal = false;
  bool bounded = false;  ///< `lower_bound` is at least what lower_bound() finds
};

/// How much of a question a mapper looks at.
enum class Considers : unsigned char {
  places,   ///< only where ranks may stand
  traffic,  ///< and what they send
  loads,    ///< and how heavy they are
  proof,    ///< and, of a small problem, where ranks are fixed: its answer is proven
};

using MapFunction = MapperAnswer (*)(const MapProblem&, const Budget&);

/// One algorithm. A new mapper is one file and one row in registry.cpp.
struct Mapper {
  std::string_view name;  ///< as on the command line
  std::string_view help;  ///< one line
  MapFunction run;
  Considers considers = Considers::traffic;
  bool follows_time = false;  ///< what it finds, and not only whether it gets there, depends on the time limit
};

}  // namespace topowise
