// SPDX-License-Identifier: BSD-3-Clause
// Times of one iteration of an exchange, under several mappings.
#pragma once

#include <functional>
#include <vector>

#include <topowise/benchmark/exchange_memory.hpp>
#include <topowise/benchmark/rank_messages.hpp>
#include <topowise/mpi/messages.hpp>
#include <topowise/mpi/team.hpp>

namespace topowise::benchmark {

struct ExchangePlan {
  int repetitions = 20;             ///< iterations that are timed, in each run
  int warm_up = 2;                  ///< iterations before those
  int runs = 5;                     ///< how often all of this is done, the mappings in turn
  std::function<bool()> stop = {};  ///< asked before each run: if any process says yes, all stop
};

struct ExchangeTimes {
  std::vector<double> runs;  ///< seconds of one iteration, one number per run: the mean of the slowest process
  bool right = true;         ///< the first and last byte of every message came from its sender
};

/// Collective. `of_mapping[m]` has the messages of every process. In each run every mapping has its turn, so that what
/// disturbs the machine for a while disturbs all of them; the result is the same in every process. If `stop` ended the
/// measurement, there are fewer runs, or none.
[[nodiscard]] std::vector<ExchangeTimes> measure_exchange(const mpi::Team& team, const mpi::Messages& messages,
                                                          ExchangeMemory& memory,
                                                          const std::vector<std::vector<RankMessages>>& of_mapping,
                                                          const ExchangePlan& plan);

}  // namespace topowise::benchmark
