// SPDX-License-Identifier: BSD-3-Clause
// What benchmarks have in common on the command line: options, and how they print and save a result.
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

// The words in front of a command that make it measure the same again: variables and the launcher.

/// The variables of an environment ("NAME=VALUE" each, null at the end) that decide what is measured: those of
/// topowise, which name drivers, libraries and what is simulated, and those that choose GPUs. They are sorted by name,
/// quoted for a POSIX shell, and each is followed by a blank.
[[nodiscard]] std::string measuring_variables(const char* const* environment);

/// The command that starts that many processes by the launcher of that name (job::Process): "mpirun -n 4 ". For
/// launchers that name only their family it is the command that all of the family have.
[[nodiscard]] std::string launcher_words(std::string_view launcher, std::size_t ranks);

/// The option --ranks; each benchmark decides how many ranks there are without it.
[[nodiscard]] Option ranks_option();
/// The option --topology; each benchmark decides what holds without it.
[[nodiscard]] Option topology_option();
/// The options for the parameters of the congestion model, which congestion_parameters() reads.
[[nodiscard]] Option link_bandwidth_option();
[[nodiscard]] Option tau_option();
/// The option --gpus; without it a benchmark uses all visible GPUs.
[[nodiscard]] Option gpus_option();
/// The option --sizes; each benchmark decides what holds without it.
[[nodiscard]] Option sizes_option();
/// The sizes of --sizes; without the option those of `fallback`, such as "4B-16MiB".
[[nodiscard]] std::vector<std::size_t> benchmark_sizes(const Arguments& arguments, std::string_view fallback);
[[nodiscard]] Option repetitions_option();
[[nodiscard]] Option warm_up_option();
/// The number of --repetitions, --warm-up or a similar option; `usual` without the option.
[[nodiscard]] int count_or(const Arguments& arguments, std::string_view option, std::int64_t least, int usual);
[[nodiscard]] Option csv_option();
/// The options --json, --csv and --save DIR, which deliver() reads.
[[nodiscard]] std::vector<Option> delivery_options();

/// Throws Error(usage) for --json with --csv or a wrong SOURCE_DATE_EPOCH, and Error(bad_input) for a DIR that cannot
/// be made, or cannot be written into. Must be called before the work begins.
void check_delivery(const Arguments& arguments);

/// The time of a copy between simulated GPUs as a multiple of the model's time; nothing if the simulation does not
/// follow the model's times.
[[nodiscard]] std::optional<double> simulated_slowdown();
/// What a reader must know about times on simulated GPUs.
[[nodiscard]] std::string simulated_note();

/// Prints the table (as text, --json or --csv) and its notes. With --save DIR also writes NAME.svg, NAME.csv,
/// NAME.json, and NAME.sh, which has the command. `ranks` is the number of processes of the job, 1 without a job. If a
/// file cannot be written, it prints the result and then throws Error(bad_input).
void deliver(const Arguments& arguments, const benchmark::ResultTable& table, std::size_t ranks, Terminal& terminal);

/// Writes only the files of --save DIR, and prints nothing; without the option it does not even call `table`. Saves
/// what a job has measured so far, because its launcher may kill it at any time.
void save_so_far(const Arguments& arguments, const std::function<benchmark::ResultTable()>& table, std::size_t ranks);

/// A result that is more than a table, in all its forms.
struct ResultForms {
  std::string name;   ///< name of the benchmark
  std::string title;  ///< one line
  std::string text, json, csv;
  std::vector<CurveChart> charts;
  std::vector<std::string> notes;
};
/// Like the other deliver(), for such a result.
void deliver(const Arguments& arguments, const ResultForms& result, std::size_t ranks, Terminal& terminal);
/// The line that was typed. In front of it stand the variables that decide what is measured and, for a job of `ranks`
/// processes, the launcher, whose other options a process cannot know.
[[nodiscard]] std::string benchmark_command(const Arguments& arguments, std::size_t ranks);

}  // namespace topowise::cli
