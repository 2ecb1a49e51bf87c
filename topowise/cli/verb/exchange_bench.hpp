// SPDX-License-Identifier: BSD-3-Clause
// A benchmark of exchanges under several mappings: measured by the ranks of a job, else predicted for a machine.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <topowise/benchmark/comparison.hpp>
#include <topowise/benchmark/selection.hpp>
#include <topowise/benchmark/workload.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

struct ExchangeBenchmark {
  std::string_view name;
  std::string_view title;
  std::vector<benchmark::Workload> (*workloads)(std::size_t ranks);
  std::span<const benchmark::Selection> (*selections)();
  std::string_view weights;              ///< without --weight
  Topology (*machine)();                 ///< that is predicted without --topology
  std::vector<std::size_t> rank_counts;  ///< that are predicted without --ranks
  benchmark::Drawn drawn = benchmark::Drawn::improvement;
  benchmark::Counted counted = benchmark::Counted::mapping;  ///< a start: in a job also telling the ranks
};

[[nodiscard]] std::vector<Option> exchange_bench_options();
[[nodiscard]] ExitStatus run_exchange_bench(const ExchangeBenchmark& benchmark, const Arguments& arguments,
                                            Terminal& terminal);

}  // namespace topowise::cli
