// SPDX-License-Identifier: BSD-3-Clause
// What benchmarks have in common on the command line: options, and how a result is handed on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/benchmark/result_table.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

/// --ranks; how many there are without it is the benchmark's own business.
[[nodiscard]] Option ranks_option();
/// --topology; what holds without it is the benchmark's own business.
[[nodiscard]] Option topology_option();
/// Parameters of the congestion model, for congestion_parameters().
[[nodiscard]] Option link_bandwidth_option();
[[nodiscard]] Option tau_option();
/// --gpus; without it all that are visible.
[[nodiscard]] Option gpus_option();
/// --sizes; what holds without it is the benchmark's own business.
[[nodiscard]] Option sizes_option();
/// "4B-16MiB" without the option.
[[nodiscard]] std::vector<std::size_t> benchmark_sizes(const Arguments& arguments, std::string_view fallback);
[[nodiscard]] Option repetitions_option();
[[nodiscard]] Option warm_up_option();
/// The number that --repetitions, --warm-up or their like say, or what is usual.
[[nodiscard]] int count_or(const Arguments& arguments, std::string_view option, std::int64_t least, int usual);
[[nodiscard]] Option csv_option();
/// --json, --csv, --save DIR: what deliver() looks at.
[[nodiscard]] std::vector<Option> delivery_options();

/// Throws Error(usage) for --json with --csv or a wrong SOURCE_DATE_EPOCH, and Error(bad_input) for a DIR that is none
/// and cannot be made one, or may not be written into: to be asked before the work begins.
void check_delivery(const Arguments& arguments);

/// How many times as long as the model says copies between GPUs that are acted out take; nothing if they keep no pace.
[[nodiscard]] std::optional<double> simulated_slowdown();
/// What to know of times on GPUs that are acted out.
[[nodiscard]] std::string simulated_note();

/// Prints the table (as text, --json or --csv) and its notes; with --save DIR writes NAME.svg, NAME.csv, NAME.json and
/// NAME.sh, the command. `ranks` is the number of processes of the job, 1 without one. Throws Error(bad_input) for what
/// cannot be written, after printing.
void deliver(const Arguments& arguments, const benchmark::ResultTable& table, std::size_t ranks, Terminal& terminal);

/// The files of --save DIR alone, without a word of them; without the option the table is not even asked for. For what
/// a job has measured so far: its launcher may kill it at any time.
void save_so_far(const Arguments& arguments, const std::function<benchmark::ResultTable()>& table, std::size_t ranks);

/// A result that is more than a table, in all its forms.
struct ResultForms {
  std::string name;   ///< of the benchmark
  std::string title;  ///< one line
  std::string text, json, csv;
  std::vector<CurveChart> charts;
  std::vector<std::string> notes;
};
/// The same for it.
void deliver(const Arguments& arguments, const ResultForms& result, std::size_t ranks, Terminal& terminal);
/// The line that was typed, behind the variables that decide what is measured and, for a job of `ranks` processes, its
/// launcher; of its other options a process knows nothing.
[[nodiscard]] std::string benchmark_command(const Arguments& arguments, std::size_t ranks);

}  // namespace topowise::cli
