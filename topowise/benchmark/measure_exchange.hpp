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
  int runs = 5;                     ///< how often, the mappings in turn
  std::function<bool()> stop = {};  ///< asked before each run: what any process answers, all do
};

struct ExchangeTimes {
  std::vector<double> runs;  ///< seconds of one iteration: of each run the slowest process's mean
  bool right = true;         ///< what everybody received was what the others had sent
};

/// Collective. `of_mapping[m]` has the messages of every process. In each run every mapping has its turn, so that what
/// disturbs the machine for a while disturbs all of them; the result is the same in every process. Where it was stopped
/// there are fewer runs, or none.
[[nodiscard]] std::vector<ExchangeTimes> measure_exchange(const mpi::Team& team, const mpi::Messages& messages,
                                                          ExchangeMemory& memory,
                                                          const std::vector<std::vector<RankMessages>>& of_mapping,
                                                          const ExchangePlan& plan);

}  // namespace topowise::benchmark
