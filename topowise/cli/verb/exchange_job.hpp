// SPDX-License-Identifier: BSD-3-Clause
// A benchmark of exchanges, measured by the ranks of a job. Process 0 chooses the mappings and tells them to the
// others. A process then plays the rank that the tested mapping puts onto its place, so one job measures all mappings.
#pragma once

#include <topowise/cli/verb/exchange_request.hpp>
#include <topowise/cli/verb/measuring_job.hpp>

namespace topowise::cli {

struct ExchangeOutcome {
  bool right = true;         ///< known in process 0
  bool interrupted = false;  ///< the same in every process
};

/// Collective.
void measure_exchanges(const ExchangeBenchmark& benchmark, const Arguments& arguments, const mpi::MpiTeam& team,
                       Terminal& terminal, ExchangeOutcome& outcome);

}  // namespace topowise::cli
