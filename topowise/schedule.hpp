// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The order of each source's messages that finishes first.
///
/// @code
/// const topowise::Schedule best = topowise::schedule(exchange, machine, mapping);
/// std::cout << topowise::to_string(best.makespan) << (best.proven_optimal ? ", proven\n" : "\n");
/// for (const topowise::Communication& message : best.exchange.communications())
///   std::cout << message.source.index() << " -> " << message.destination.index() << '\n';
/// @endcode
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <topowise/predict.hpp>

namespace topowise {

/// How schedule() searches.
struct ScheduleOptions {
  PredictOptions congestion = {};    ///< how messages share links
  std::uint64_t steps = 20'000'000;  ///< time steps that may be played: the same result on every machine
  std::uint64_t seed = 1;            ///< seed of the search that runs where no proof is in reach
  Seconds time_limit =
      Seconds(std::numeric_limits<double>::infinity());  ///< the best order found by then is the answer
  /// May be set at any time: the best order found by then is the answer.
  const std::atomic<bool>* stop = nullptr;
};

/// An order and how good it is. Latencies are left out of both times, because they add the same to every order.
struct Schedule {
  Exchange exchange;            ///< the messages by source, each source's in the best order found
  Seconds makespan;             ///< from the first start to the last end
  Seconds lower_bound;          ///< no order is faster
  bool proven_optimal = false;  ///< the makespan is the lower bound
  /// What the times rest on beyond what sources state, as in Prediction.
  std::vector<std::string> assumptions = {};
};

/// Orders the messages by branch and bound where that comes to its end, else by simulated annealing with a lower bound.
///
/// Source: the times are those of predict(); docs/models/pcie-congestion.md says how the orders are searched.
/// @throws Error bad_input for messages that start at different times, and what predict() throws.
[[nodiscard]] Schedule schedule(const Exchange& exchange, const Topology& machine, const Mapping& mapping,
                                const ScheduleOptions& options = {});

}  // namespace topowise
