// SPDX-License-Identifier: BSD-3-Clause
// What is made small if the user does not say it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// Whether hundreds of mappings can be predicted in a time that a user waits for.
[[nodiscard]] bool is_quick_to_predict(const Traffic& traffic);

/// What the user asks for.
struct AskedObjective {
  std::optional<Objective> objective;  ///< nothing: the choice is topowise's
  bool is_metric_named = false;        ///< a metric is about hop-bytes
  std::string_view mapper = "auto";    ///< of the others, users know that they look at hop-bytes
};

struct ObjectiveChoice {
  Objective objective;
  std::string reason;  ///< why it is not predicted time: "4 of 12 links have no rate"; empty where the user decided
  bool spares_hop_bytes = false;  ///< the machine's rates are assumed, see MapProblem::spares_hop_bytes
};

/// Predicted time, where the machine states the rates that it rests on, where it can be predicted quickly and where it
/// can be mapped for; else hop-bytes. The problem's own objective is not looked at.
[[nodiscard]] ObjectiveChoice choose_objective(const MapProblem& problem, const AskedObjective& asked);

}  // namespace topowise
