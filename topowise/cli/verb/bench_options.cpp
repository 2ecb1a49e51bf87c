// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/bench_options.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/write_target.hpp>
#include <topowise/cli/input/probe_request.hpp>
#include <topowise/cli/input/typed_command.hpp>
#include <topowise/job/process.hpp>
#include <topowise/report/text_table.hpp>

namespace topowise::cli {
namespace {

bool decides(std::string_view name) {
  constexpr std::array<std::string_view, 4> kVisible{"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                                     "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"};
  return name.starts_with("TOPOWISE_") || std::ranges::find(kVisible, name) != kVisible.end();
}

using benchmark::Cell;
using benchmark::ResultTable;

/// A cell as people read it; the name of its column says the unit.
std::string words_for(const std::string& column, const Cell& cell) {
  if (const std::string* text = std::get_if<std::string>(&cell)) return *text;
  if (const bool* truth = std::get_if<bool>(&cell)) return *truth ? "yes" : "no";
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&cell))
    return column == "bytes" ? size_label(static_cast<double>(*whole)) : std::to_string(*whole);
  const double* number = std::get_if<double>(&cell);
  if (number == nullptr) return {};
  if (column.ends_with("_bytes_per_s")) return to_string(BytesPerSecond(*number));
  if (column.ends_with("_s")) return to_string(Seconds(*number));
  if (column.ends_with("_percent")) return fmt::format("{:.1f} %", *number);
  return fmt::format("{:.4g}", *number);
}

std::string heading_of(std::string column) {
  for (const std::string_view unit : {"_bytes_per_s", "_percent", "_s"}) {
    if (!column.ends_with(unit)) continue;
    column.resize(column.size() - unit.size());
    break;
  }
  for (char& c : column) c = c == '_' ? ' ' : c;
  return column;
}

/// Some launchers give a rank a terminal of its own and pass on to a file what it writes there: no colour in a job.
std::string as_text(const ResultTable& table, std::size_t ranks, const Terminal& terminal) {
  const bool in_job = ranks > 1;
  std::string text = (in_job ? table.title : terminal.bold(table.title)) + "\n";
  for (const auto& [name, cell] : table.facts) {
    const bool none = std::holds_alternative<std::monostate>(cell);
    text += fmt::format("{}: {}\n", heading_of(name), none ? "none" : words_for(name, cell));
  }
  std::vector<Table::Column> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool is_text = !table.rows.empty() && std::holds_alternative<std::string>(table.rows.front()[i]);
    columns.push_back({heading_of(table.columns[i]), is_text ? Table::Align::left : Table::Align::right});
  }
  Table rows(std::move(columns));
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(words_for(table.columns[i], row[i]));
    rows.add(std::move(cells));
  }
  return text + "\n" +
         rows.text(in_job ? std::string() : terminal.begin_bold(), in_job ? std::string() : terminal.end_bold());
}

/// Writes the files and returns their names.
std::vector<std::string> save_all(const Arguments& arguments, const ResultForms& result, std::size_t ranks) {
  const std::string command = benchmark_command(arguments, ranks);
  const std::string date = page_date();
  std::vector<std::string> written;
  const std::string start = (std::filesystem::path(arguments.text("--save")) / result.name).string();
  const auto write = [&](std::string_view suffix, const std::string& text) {
    written.push_back(start + std::string(suffix));
    write_file(written.back(), text);
  };
  if (!result.charts.empty())
    write(".svg", curve_figure(result.title, fmt::format("{}, {}", command, date), result.charts));
  write(".csv", result.csv);
  write(".json", result.json);
  // A process of a job cannot see how its launcher was called.
  const std::string_view unknown =
      ranks > 1 ? "# Further options of the launcher, such as hosts, binding and --oversubscribe, are not known here.\n"
                : "";
  write(".sh", fmt::format("#!/bin/sh\n# {}, {}\n{}{}\n", result.title, date, unknown, command));
  return written;
}

/// All forms except the text, which is only for a terminal.
ResultForms forms_of(const Arguments& arguments, const ResultTable& table, std::size_t ranks) {
  return {.name = table.name,
          .title = table.title,
          .text = {},
          .json = to_json(table, benchmark_command(arguments, ranks), page_date()),
          .csv = to_csv(table),
          .charts = table.charts,
          .notes = table.notes};
}

}  // namespace

std::string measuring_variables(const char* const* environment) {
  std::vector<std::pair<std::string, std::string>> found;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view variable(*environment);
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos || !decides(variable.substr(0, equals))) continue;
    found.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  std::ranges::sort(found);
  std::string words;
  for (const auto& [name, value] : found) words += fmt::format("{}={} ", name, value.empty() ? "" : shell_word(value));
  return words;
}

std::string launcher_words(std::string_view launcher, std::size_t ranks) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kStarts{
      {{"hydra", "mpiexec"}, {"PALS", "mpiexec"}, {"MVAPICH", "mpiexec"}, {"Slurm", "srun"}, {"Flux", "flux run"}}};
  const auto* const found = std::ranges::find(kStarts, launcher, &std::pair<std::string_view, std::string_view>::first);
  return fmt::format("{} -n {} ", found == kStarts.end() ? "mpirun" : found->second, ranks);
}

Option ranks_option() {
  return {"--ranks", "N", "measurement", "processes that are started, or ranks that are predicted [allreduce: 4]"};
}

Option topology_option() {
  return {.name = "--topology",
          .value = "SOURCE",
          .group = "measurement",
          .help = "the machine [what is measured: live; what is predicted: the paper's own]",
          .completes = Completes::topologies};
}

Option link_bandwidth_option() {
  return {"--link-bandwidth", "RATE", "model", "B of the congestion model [measured, else of the machine's links]"};
}

Option tau_option() {
  return {"--tau", "T", "model", "tau of the congestion model [measured, else 0.17355]"};
}

Option gpus_option() {
  return {"--gpus", "N", "measurement", "only the first N GPUs; the ranks take them in turn [all that are visible]"};
}

Option sizes_option() {
  return {"--sizes", "LIST", "measurement", "of a vector or message: ranges in powers of two, or a list", "4B-16MiB"};
}

std::vector<std::size_t> benchmark_sizes(const Arguments& arguments, std::string_view fallback) {
  return parse_sizes(arguments.has("--sizes") ? arguments.text("--sizes") : std::string(fallback));
}

Option repetitions_option() {
  return {"--repetitions", "N", "measurement",
          "calls or iterations that are timed, of each size [allreduce: 100, exchanges: 20, congestion: 5]"};
}

Option warm_up_option() {
  return {"--warm-up", "N", "measurement",
          "calls or iterations before the clock starts [allreduce: 10, exchanges: 2, congestion: 1]"};
}

int count_or(const Arguments& arguments, std::string_view option, std::int64_t least, int usual) {
  constexpr std::int64_t kMost = 1'000'000;
  return arguments.has(option) ? static_cast<int>(arguments.whole(option, least, kMost)) : usual;
}

Option csv_option() {
  return {"--csv", "", "output", "comma-separated values"};
}

std::vector<Option> delivery_options() {
  return {json_option(),
          csv_option(),
          {.name = "--save",
           .value = "DIR",
           .group = "output",
           .help = "write figure (SVG), table (CSV, JSON) and the command into this directory",
           .completes = Completes::directories}};
}

void check_delivery(const Arguments& arguments) {
  if (arguments.has("--json") && arguments.has("--csv"))
    throw usage_error("--json and --csv both want the standard output", "--save DIR writes both");
  (void)page_date();  // a wrong SOURCE_DATE_EPOCH is refused before the work, not after it
  if (!arguments.has("--save")) return;
  std::error_code failure;
  const std::string folder = arguments.text("--save");
  constexpr std::array<std::string_view, 8> kFiles{".svg", ".csv", ".json", ".sh", ".html", ".pdf", ".png", ".txt"};
  const std::filesystem::path path = folder;
  if (std::ranges::find(kFiles, path.extension().string()) != kFiles.end() && !std::filesystem::exists(path, failure))
    throw Arguments::wrong("--save", fmt::format("'{}' would be a directory, whatever its suffix says", folder),
                           fmt::format("--save {}", path.stem().string()));
  if (std::filesystem::exists(folder, failure) && !std::filesystem::is_directory(folder, failure))
    throw bad_input(fmt::format("--save: '{}' is no directory and cannot be made one", folder));
  make_folders(folder);
  const WriteTarget target = write_target((std::filesystem::path(folder) / "trial").string());
  const Replacement trial(target);  // permissions do not show it: root, a read-only file system
  if (trial.descriptor() < 0)
    throw bad_input(fmt::format("--save: nothing can be written into '{}': {}", folder,
                                std::error_code(errno, std::generic_category()).message()));
}

std::optional<double> simulated_slowdown() {
  const auto variable = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string_view(text == nullptr ? "" : text);
  };
  const std::string_view pace = variable("TOPOWISE_FAKE_PACE");
  if (pace.empty() || pace == "0") return std::nullopt;
  const std::optional<double> scale = parse_double(variable("TOPOWISE_FAKE_PACE_SCALE"));
  return scale && std::isfinite(*scale) && *scale >= 0 ? *scale : 1;  // the stand-in driver reads it in the same way
}

std::string simulated_note() {
  if (const std::optional<double> slowdown = simulated_slowdown())
    return fmt::format(
        "the GPUs are simulated, and a copy takes {:g} times what the model says: times say nothing about a GPU, "
        "proportions follow the model",
        *slowdown);
  return "the GPUs are simulated, and copies take what this machine's memory takes: neither times nor proportions "
         "follow the model or say anything about a GPU (TOPOWISE_FAKE_PACE=1 paces them)";
}

std::string benchmark_command(const Arguments& arguments, std::size_t ranks) {
  const std::string typed = typed_command(arguments, arguments.verb().words(), [](std::string_view) { return true; });
  const std::string launcher = ranks > 1 ? launcher_words(job::this_process().launcher, ranks) : std::string();
  return measuring_variables(environ) + launcher + typed;
}

void deliver(const Arguments& arguments, const ResultForms& result, std::size_t ranks, Terminal& terminal) {
  const auto show = [&] {
    terminal.print("{}", arguments.has("--json") ? result.json : arguments.has("--csv") ? result.csv : result.text);
    for (const std::string& note : result.notes) terminal.warn(note);
  };
  if (arguments.has("--save")) {
    try {
      for (const std::string& path : save_all(arguments, result, ranks)) terminal.note("wrote " + path);
    } catch (const Error&) {
      show();  // a full disk must not destroy the measurements of an hour
      terminal.flush();
      throw;
    }
  }
  show();
}

void deliver(const Arguments& arguments, const ResultTable& table, std::size_t ranks, Terminal& terminal) {
  ResultForms result = forms_of(arguments, table, ranks);
  result.text = as_text(table, ranks, terminal);
  deliver(arguments, result, ranks, terminal);
}

void save_so_far(const Arguments& arguments, const std::function<ResultTable()>& table, std::size_t ranks) {
  if (arguments.has("--save")) (void)save_all(arguments, forms_of(arguments, table(), ranks), ranks);
}

}  // namespace topowise::cli
