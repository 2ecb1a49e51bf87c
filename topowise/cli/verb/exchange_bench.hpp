// SPDX-License-Identifier: BSD-3-Clause
// A benchmark of exchanges under several mappings: measured by the ranks of a job, else predicted for a machine.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/benchmark/comparison.hpp>
#include <topowise/benchmark/measure_exchange.hpp>
#include <topowise/benchmark/result_table.hpp>
#include <topowise/benchmark/selection.hpp>
#include <topowise/benchmark/workload.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

// The request to a benchmark of exchanges, and what measuring and predicting both need.

struct ExchangeBenchmark {
  std::string_view name;
  std::string_view title;
  std::vector<benchmark::Workload> (*workloads)(std::size_t ranks);
  std::span<const benchmark::Selection> (*selections)();
  std::string_view weights;                ///< the weights that hold without --weight
  Topology (*machine)(std::size_t ranks);  ///< the machine of a prediction without --topology
  std::vector<std::size_t> rank_counts;    ///< the numbers of ranks of a prediction without --ranks
  benchmark::Drawn drawn = benchmark::Drawn::improvement;
  benchmark::Counted counted = benchmark::Counted::mapping;  ///< `start`: in a job it also counts sending the ranks
};

/// The part of the request that is known without MPI.
struct ExchangeRequest {
  std::vector<std::size_t> sizes;
  std::vector<int> weights;
  benchmark::ExchangePlan plan;
  std::string mapping;          ///< the argument of --mapping: "auto", "identity", ... or a file
  std::optional<Mapping> read;  ///< the mapping that was read, because standard input cannot be read again
};

[[nodiscard]] ExchangeRequest read_exchange_request(const ExchangeBenchmark& benchmark, const Arguments& arguments);

/// The mappings that are compared: all of the benchmark's, or only its first one and, if --mapping names another, that
/// one.
[[nodiscard]] std::vector<benchmark::Chosen> chosen_for(const ExchangeBenchmark& benchmark, ExchangeRequest& request,
                                                        const benchmark::Workload& workload, int weight,
                                                        const benchmark::Places& places,
                                                        std::vector<std::string>& notes, const Terminal& terminal);

/// One row for each mapping, without the measured values.
[[nodiscard]] std::vector<benchmark::ComparedMapping> compared_rows(const benchmark::Workload& workload, int weight,
                                                                    std::size_t bytes, const benchmark::Places& places,
                                                                    const std::vector<benchmark::Chosen>& chosen,
                                                                    std::vector<std::string>& notes);

/// For the progress: the words for one step of measuring or predicting, and how many steps there are.
[[nodiscard]] std::string progress_words(const benchmark::Workload& workload, int weight, std::size_t bytes);
[[nodiscard]] std::size_t step_count(const ExchangeRequest& request,
                                     const std::vector<std::vector<benchmark::Workload>>& workloads);

/// All rows as one table, with the facts and notes, each once.
[[nodiscard]] benchmark::ResultTable comparison_table(const ExchangeBenchmark& benchmark,
                                                      const std::vector<benchmark::ComparedMapping>& rows,
                                                      std::vector<std::pair<std::string, benchmark::Cell>> facts,
                                                      const std::vector<std::string>& notes);

[[nodiscard]] std::vector<Option> exchange_bench_options();
[[nodiscard]] ExitStatus run_exchange_bench(const ExchangeBenchmark& benchmark, const Arguments& arguments,
                                            Terminal& terminal);

}  // namespace topowise::cli
