// SPDX-License-Identifier: BSD-3-Clause
// A benchmark of exchanges, measured by the ranks of a job. Process 0 chooses the mappings and tells them to the
// others; a process then plays the rank that the mapping under test puts onto its place, so that one job measures all
// mappings.
#pragma once

#include <topowise/cli/verb/exchange_request.hpp>
#include <topowise/cli/verb/measuring_job.hpp>

namespace topowise::cli {

struct ExchangeOutcome {
  bool right = true;         ///< as process 0 sees it
  bool interrupted = false;  ///< in every process
};

/// Collective.
void measure_exchanges(const ExchangeBenchmark& benchmark, const Arguments& arguments, const mpi::MpiTeam& team,
                       Terminal& terminal, ExchangeOutcome& outcome);

}  // namespace topowise::cli
