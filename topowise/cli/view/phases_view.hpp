// SPDX-License-Identifier: BSD-3-Clause
// The predicted times of the phases of a recorded run, as table and JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <topowise/cli/input/exchange_argument.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/predict/congestion/rate_memo.hpp>
#include <topowise/traffic_source/recorded/phases.hpp>

namespace topowise::cli {

/// The seconds of one occurrence of each phase, all of whose messages are ready when it begins.
[[nodiscard]] std::vector<Seconds> phase_times(RateMemo& memo, std::span<const RecordedPhase> phases,
                                               const Mapping& mapping);

/// The same times with the messages of every source in the order that ends first, as far as a search of bounded work
/// finds it. They are never above `given`, the times in the recorded order.
[[nodiscard]] std::vector<Seconds> phase_times_in_best_order(CongestionModel& model,
                                                             std::span<const RecordedPhase> phases,
                                                             const Mapping& mapping, std::span<const Seconds> given);

/// Phases with the time of one occurrence each. `identity` has the times for rank i on place i, unless the mapping is
/// the identity itself.
struct PredictedPhases {
  std::span<const RecordedPhase> phases;
  std::vector<Seconds> times;
  std::optional<std::vector<Seconds>> identity;
  std::optional<std::vector<Seconds>> best_order;  ///< if asked for
};

void show_phases(const PredictedPhases& predicted, const CongestionModel& model, Terminal& terminal);
/// The JSON of the phases, as docs/cli.md describes it.
[[nodiscard]] std::string phases_json(const PredictedPhases& predicted, const ExchangeProblem& problem,
                                      const CongestionModel& model);

}  // namespace topowise::cli
