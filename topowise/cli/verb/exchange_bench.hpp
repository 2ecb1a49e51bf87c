// SPDX-License-Identifier: BSD-3-Clause
// A benchmark of exchanges under several mappings: measured by the ranks of a job, else predicted for a machine.
#pragma once

#include <vector>

#include <topowise/cli/verb/exchange_request.hpp>

namespace topowise::cli {

[[nodiscard]] std::vector<Option> exchange_bench_options();
[[nodiscard]] ExitStatus run_exchange_bench(const ExchangeBenchmark& benchmark, const Arguments& arguments,
                                            Terminal& terminal);

}  // namespace topowise::cli
