// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/source.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <topowise/base/encoding.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/input.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/profile/format.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/foreign_traffic.hpp>
#include <topowise/traffic_source/formats.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>
#include <topowise/traffic_source/pattern/pattern.hpp>
#include <topowise/traffic_source/recorded/ends.hpp>
#include <topowise/traffic_source/recorded/ompi_monitoring.hpp>
#include <topowise/traffic_source/recorded/recorded.hpp>
#include <topowise/traffic_source/training/files.hpp>

namespace topowise {
namespace {

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_directory(path, ignored);
}

/// The names in a directory that end in `suffix`, sorted.
std::vector<std::string> files_in(const std::string& directory, std::string_view suffix) {
  std::vector<std::string> paths;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(directory, failure), end; !failure && entry != end;
       entry.increment(failure))
    if (entry->path().filename().string().ends_with(suffix)) paths.push_back(entry->path().string());
  if (failure) throw bad_input(fmt::format("cannot read '{}': {}", directory, failure.message()));
  std::ranges::sort(paths);
  return paths;
}

std::string model_of(const TrafficOptions& options, std::string_view usual) {
  return options.collectives == "auto" ? std::string(usual) : options.collectives;
}
constexpr std::string_view kMpiModel = "openmpi";

/// Nothing if none of the files is a trace.
std::optional<TrafficReading> read_trace_files(const std::string& where, const std::vector<std::string>& paths,
                                               const TrafficOptions& options) {
  if (!options.format.empty() && traffic_format(options.format).trace == nullptr)
    throw usage_error(fmt::format("'{}' is no format of traces, and '{}' names several files", options.format, where));
  const training::TraceOptions reading{
      .format = options.format,
      .model = options.collectives == "auto" ? nullptr : &collective::model_named(options.collectives),
      .progress = options.progress};
  std::vector<Diagnostic> warnings;
  std::optional<Traffic> traffic = training::read_traces(where, paths, reading, warnings);
  if (!traffic) return std::nullopt;
  return TrafficReading{*std::move(traffic), std::move(warnings)};
}

/// The format of an input, forced or by its content.
AnyTrafficFormat format_of_input(const std::string& where, std::string_view head, const TrafficOptions& options) {
  if (!options.format.empty()) return traffic_format(options.format);
  const training::TraceFormat* trace = format_of(training::trace_formats(), head);
  if (trace != nullptr && !looks_like_profile_file(head)) return {trace, nullptr};
  if (const std::optional<ForeignInput> foreign = foreign_traffic(head))
    throw wrong_input(where, fmt::format("this is {}, which is not read", foreign->what), std::string(foreign->hint));
  training::refuse_nccl_log_without_calls(where, head);
  if (options.is_machine != nullptr && options.is_machine(head))
    throw wrong_input(where, "this describes a machine, where traffic is asked for",
                      "TRAFFIC comes first, then TOPOLOGY");
  return claiming_traffic_format(where, head);
}

/// Reads a file, standard input or a text. Of a trace only a block is kept at a time, of what is in no known format
/// only the head is read: either may be gigabytes. `in_memory` is the text, where the caller has it as it is to be
/// read.
TrafficReading read_input(Input input, const TrafficOptions& options,
                          std::optional<std::string_view> in_memory = std::nullopt) {
  const std::string where = input.where();
  const std::string head = input.text_head();
  const AnyTrafficFormat format = format_of_input(where, head, options);
  const collective::Model& model =
      collective::model_named(model_of(options, format.trace != nullptr ? format.trace->model : kMpiModel));
  std::vector<Diagnostic> warnings;
  if (format.text != nullptr) {
    check_text(where, head, *format.text);
    const std::string own = in_memory ? std::string() : std::move(input).text(format.text->largest);
    Traffic traffic = format.text->read(where, in_memory.value_or(own), model, warnings);
    return {std::move(traffic), std::move(warnings)};
  }
  const std::string converted = is_utf16(input.head()) ? std::move(input).text() : "";
  if (!converted.empty()) input = Input::of_text(where, converted);
  Traffic traffic = training::read_trace(input, *format.trace, model, warnings);
  return {std::move(traffic), std::move(warnings)};
}

TrafficReading read_directory(const std::string& directory, const TrafficOptions& options) {
  std::vector<Diagnostic> warnings;
  const std::vector<std::string> recorded = files_in(directory, profile::kFileSuffix);
  if (!recorded.empty()) {
    const std::vector<ProfileFile> files = files_of_run(directory, recorded, options.run, warnings);
    Traffic traffic = merge_profile(directory, files, model_of(options, kMpiModel), options.memory, warnings);
    return {std::move(traffic), std::move(warnings)};
  }
  // An archive's events are in folders; only its anchor is to be read.
  const std::vector<std::string> archives = files_in(directory, ".otf2");
  if (archives.size() > 1)
    throw bad_input(fmt::format("'{}' has {} OTF2 archives", directory, archives.size()),
                    fmt::format("give one of them: {}", archives.front()));
  if (!archives.empty()) return read_input(Input::of_regular_file(archives.front(), options.progress), options);
  const std::vector<std::string> monitored = files_in(directory, ".prof");
  if (monitored.empty()) {
    const std::vector<std::string> files = files_in(directory, "");
    if (std::optional<TrafficReading> traces = read_trace_files(directory, files, options)) return *std::move(traces);
    throw bad_input(fmt::format("no profile in '{}': it has neither *{} nor *.prof files, and no traces", directory,
                                profile::kFileSuffix),
                    "record one: mpirun -n 16 topowise run --profile DIR -- ./app");
  }
  Traffic traffic = read_ompi_monitoring_files(directory, monitored, warnings);
  return {std::move(traffic), std::move(warnings)};
}

void check_exists(const std::string& argument) {
  std::error_code failure;
  if (argument == "-" || std::filesystem::exists(argument, failure) || failure) return;
  constexpr std::array<std::string_view, 6> kMachines{"preset:", "tree:", "torus:", "mesh:", "dragonfly:", "cluster:"};
  const auto begins = [&](std::string_view prefix) { return argument.starts_with(prefix); };
  if (argument == "live" || argument.starts_with("live:") || std::ranges::any_of(kMachines, begins))
    throw bad_input(fmt::format("'{}' describes a machine, where traffic is asked for", argument),
                    "TRAFFIC comes first, then TOPOLOGY");
  const std::size_t colon = argument.find(':');
  const bool like_a_pattern =
      colon != std::string::npos && did_you_mean(argument.substr(0, colon), std::vector<std::string>{"pattern"});
  throw bad_input(fmt::format("cannot read '{}': No such file or directory", argument),
                  like_a_pattern ? fmt::format("did you mean 'pattern{}'?", printable(argument.substr(colon)))
                                 : "a TRAFFIC is a profile, a file, '-', pattern:NAME:DIMS or 'traces/*.json'");
}

}  // namespace

bool is_exchange_file(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;  // what can be read only once
  try {
    return json_schema(Input(path).text_head()) == "topowise.exchange/1";
  } catch (const Error&) {
    return false;  // a directory, or nothing there: the traffic reader reports it
  }
}

TrafficReading read_traffic_text(const std::string& where, std::string_view text, const TrafficOptions& options) {
  Input input = Input::of_text(where, text);
  const bool as_it_is = !is_foreign_text(input.head());  // then a copy would double what it takes
  return read_input(std::move(input), options, as_it_is ? std::optional(text) : std::nullopt);
}

void check_names(const TrafficOptions& options) {
  if (!options.format.empty()) (void)traffic_format(options.format);
  if (options.collectives != "auto") (void)collective::model_named(options.collectives);
  (void)recorded::ends_named(options.memory);
}

TrafficReading read_traffic_with_warnings(const std::string& argument, const TrafficOptions& options) {
  check_names(options);
  if (argument.starts_with(kPatternPrefix)) {
    std::vector<Diagnostic> warnings;
    Traffic traffic = pattern_traffic(argument, warnings);
    return {std::move(traffic), std::move(warnings)};
  }
  if (const std::vector<std::string> files = training::listed_files(argument); !files.empty()) {
    if (std::optional<TrafficReading> traces = read_trace_files(argument, files, options)) return *std::move(traces);
    throw bad_input(fmt::format("no traces in '{}'", argument));
  }
  check_exists(argument);
  if (is_directory(argument)) return read_directory(argument, options);
  return read_input(Input(argument, options.progress), options);
}

std::string kind_of_traffic(const std::string& argument) try {
  if (argument.starts_with(kPatternPrefix)) return "traffic";
  if (is_directory(argument)) {
    if (!files_in(argument, profile::kFileSuffix).empty()) return "a recorded profile";
    if (!files_in(argument, ".otf2").empty()) return "an OTF2 archive";
    if (!files_in(argument, ".prof").empty()) return "what Open MPI's monitoring wrote";
    const std::vector<std::string> files = files_in(argument, "");
    return files.empty() ? "" : kind_of_traffic(files.front());
  }
  if (const std::vector<std::string> files = training::listed_files(argument); !files.empty())
    return kind_of_traffic(files.front());
  if (argument == "-") return {};
  const std::string head = Input::of_regular_file(argument).text_head();
  if (looks_like_profile_file(head)) return "a recorded profile";
  if (const training::TraceFormat* trace = format_of(training::trace_formats(), head))
    return trace->name == "nccl-calls" ? "" : fmt::format("traffic ({})", trace->help);  // NCCL's log may have both
  constexpr std::array<std::string_view, 6> kMayBeMachines{"json", "matrix-market", "csv", "qaplib", "metis", "matrix"};
  const TrafficFormat* text = format_of(traffic_formats(), head);
  const bool plain = text != nullptr && std::ranges::find(kMayBeMachines, text->name) == kMayBeMachines.end();
  return plain ? fmt::format("traffic ({})", text->help) : "";
} catch (const Error&) {
  return {};
}

ExchangeReading read_exchange(const std::string& argument, const TrafficOptions& options) {
  const auto of_traffic = [](TrafficReading reading) {
    return ExchangeReading{one_message_a_pair(reading.traffic), std::move(reading.warnings), "by destination"};
  };
  if (argument.starts_with(kPatternPrefix)) {
    check_names(options);
    if (const std::string order = pattern_order(argument); !order.empty())
      return {pattern_exchange(argument), {}, order};
  }
  std::error_code ignored;
  if (argument != "-" && !std::filesystem::is_regular_file(argument, ignored))
    return of_traffic(read_traffic_with_warnings(argument, options));
  check_names(options);
  Input input(argument, options.progress);
  if (json_schema(input.text_head()) != "topowise.exchange/1") return of_traffic(read_input(std::move(input), options));
  const std::string where = input.where();
  return {exchange_from_json(where, std::move(input).text()), {}};
}

TrafficReading read_gpu_traffic(const std::string& argument, const ReadProgress& progress) {
  std::vector<std::string> recorded;
  if (is_directory(argument)) recorded = files_in(argument, profile::kFileSuffix);
  if (recorded.empty()) {
    TrafficOptions options;
    options.progress = progress;
    return read_traffic_with_warnings(argument, options);
  }
  std::vector<Diagnostic> warnings;
  const std::vector<ProfileFile> files = files_of_run(argument, recorded, {}, warnings);
  const std::string collectives(kMpiModel);
  Traffic traffic = merge_profile(argument, files, collectives, "device", warnings);
  if (traffic.total_bytes() > Bytes(0)) return {std::move(traffic), std::move(warnings)};
  std::vector<Diagnostic> repeated;
  return {merge_profile(argument, files, collectives, "all", repeated), std::move(warnings)};
}

PhaseReading read_recorded_phases(const std::string& directory, Seconds gap, const TrafficOptions& options) {
  std::vector<std::string> recorded;
  if (is_directory(directory)) recorded = files_in(directory, profile::kFileSuffix);
  if (recorded.empty()) {
    throw bad_input(fmt::format("'{}' is no recorded profile, so nothing is known of phases", directory),
                    "record one: mpirun -n 16 topowise run --profile DIR --trace -- ./app");
  }
  PhaseReading reading;
  const std::vector<ProfileFile> files = files_of_run(directory, recorded, options.run, reading.warnings);
  reading.recorded =
      phases_of_profile(directory, files, gap, model_of(options, kMpiModel), options.memory, reading.warnings);
  return reading;
}

std::optional<TrafficRows> read_traffic_rows(const std::string& argument, const TrafficOptions& options,
                                             std::size_t piece, std::size_t pieces) {
  if (argument.starts_with(kPatternPrefix)) return pattern_rows(argument, piece, pieces);
  std::error_code ignored;
  if (argument == "-" || !std::filesystem::is_regular_file(argument, ignored)) return std::nullopt;
  Input input(argument);
  if (is_foreign_text(input.head())) return std::nullopt;
  const TrafficFormat* format = format_of_input(argument, input.text_head(), options).text;
  if (format == nullptr || format->name != "metis") return std::nullopt;
  return read_metis_rows(std::move(input), piece, pieces);
}

Traffic read_traffic(const std::string& argument, const TrafficOptions& options) {
  return read_traffic_with_warnings(argument, options).traffic;
}

}  // namespace topowise
