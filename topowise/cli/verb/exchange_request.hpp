// SPDX-License-Identifier: BSD-3-Clause
// What a benchmark of exchanges is asked, and what it needs of it whether it measures or predicts.
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

/// What was asked, as far as it is known without MPI.
struct ExchangeRequest {
  std::vector<std::size_t> sizes;
  std::vector<int> weights;
  benchmark::ExchangePlan plan;
  std::string mapping;          ///< "auto", "identity" or a file
  std::optional<Mapping> read;  ///< of a file that was read: standard input cannot be read again
};

[[nodiscard]] ExchangeRequest read_exchange_request(const ExchangeBenchmark& benchmark, const Arguments& arguments);

/// The mappings that are compared: those of the benchmark, or of them only the first, and a file's.
[[nodiscard]] std::vector<benchmark::Chosen> chosen_for(const ExchangeBenchmark& benchmark, ExchangeRequest& request,
                                                        const benchmark::Workload& workload, int weight,
                                                        const benchmark::Places& places,
                                                        std::vector<std::string>& notes, const Terminal& terminal);

/// A row a mapping, without what is measured.
[[nodiscard]] std::vector<benchmark::ComparedMapping> compared_rows(const benchmark::Workload& workload, int weight,
                                                                    std::size_t bytes, const benchmark::Places& places,
                                                                    const std::vector<benchmark::Chosen>& chosen,
                                                                    std::vector<std::string>& notes);

/// What is measured or predicted at once, for the progress; how often.
[[nodiscard]] std::string progress_words(const benchmark::Workload& workload, int weight, std::size_t bytes);
[[nodiscard]] std::size_t step_count(const ExchangeRequest& request,
                                     const std::vector<std::vector<benchmark::Workload>>& workloads);

/// All rows as one table, with the facts and notes, each once.
[[nodiscard]] benchmark::ResultTable comparison_table(const ExchangeBenchmark& benchmark,
                                                      const std::vector<benchmark::ComparedMapping>& rows,
                                                      std::vector<std::pair<std::string, benchmark::Cell>> facts,
                                                      const std::vector<std::string>& notes);

}  // namespace topowise::cli
