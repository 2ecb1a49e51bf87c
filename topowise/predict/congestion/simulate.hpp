// SPDX-License-Identifier: BSD-3-Clause
// When every message of an exchange begins and ends.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/graph/mapping.hpp>
#include <topowise/graph/traffic/exchange.hpp>
#include <topowise/predict/congestion/rate_memo.hpp>

namespace topowise {

/// The time between two events, with the congestion factor of every message that is on the wires then.
struct TimeStep {
  struct Factor {
    std::uint32_t message = 0;  ///< index in the exchange
    double factor = 0;          ///< in units of CongestionModel::unit()
  };
  Seconds start;
  Seconds end;
  std::vector<Factor> factors;  ///< by message, ascending
};

struct Simulation {
  std::vector<Seconds> begin;  ///< by message: when its source has sent all that came before it
  std::vector<Seconds> end;    ///< by message
  Seconds makespan;            ///< the last end
  std::size_t step_count = 0;
  std::vector<TimeStep> steps;  ///< if asked for
};

enum class RecordSteps : bool { no, yes };

/// Plays the exchange. Takes O((messages + steps) log messages), and the time for the rates of the sets that are not in
/// the memo. Throws Error(bad_input) for a rank without a place, for places that nothing connects, and where tau leaves
/// nothing to every active message.
[[nodiscard]] Simulation simulate(RateMemo& memo, const Exchange& exchange, const Mapping& mapping,
                                  RecordSteps record = RecordSteps::no);

}  // namespace topowise
