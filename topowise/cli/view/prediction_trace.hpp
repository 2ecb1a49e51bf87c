// SPDX-License-Identifier: BSD-3-Clause
// A prediction in the Chrome trace format, as ui.perfetto.dev reads it.
#pragma once

#include <string>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/traffic/exchange.hpp>
#include <topowise/predict/congestion/congestion_model.hpp>
#include <topowise/predict/congestion/simulate.hpp>

namespace topowise::cli {

/// Process 1 has a track for each rank: its messages, and inside each message the times of one congestion factor.
/// Process 2 has a track for each link: the messages that cross it, and a counter of its load. Slices of a track never
/// overlap in part: messages that are on the wires together get several tracks of the same name. The simulation must
/// have its steps.
///
/// Source: Trace Event Format, Google, 2016 (complete events "X", counters "C", metadata "M"; microseconds).
[[nodiscard]] std::string prediction_trace(const Exchange& exchange, const Mapping& mapping, CongestionModel& model,
                                           const Simulation& simulation);

}  // namespace topowise::cli
