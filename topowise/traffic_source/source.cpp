// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/source.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include <topowise/base/encoding.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/profile/format.hpp>
#include <topowise/reading/machine_text.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>
#include <topowise/traffic_source/matrix/metis_rows.hpp>
#include <topowise/traffic_source/pattern/pattern.hpp>
#include <topowise/traffic_source/recorded/ends.hpp>
#include <topowise/traffic_source/recorded/ompi_monitoring.hpp>
#include <topowise/traffic_source/recorded/otf2_print.hpp>
#include <topowise/traffic_source/recorded/recorded.hpp>
#include <topowise/traffic_source/training/files.hpp>

namespace topowise {
namespace {

constexpr std::size_t kHead = 65536;  ///< bytes of a file by which its format is recognised

/// Gives a reader that never warns the form that the table needs.
template <Traffic (*Read)(const std::string&, std::string_view)>
Traffic without_warnings(const std::string& where, std::string_view text, std::vector<Diagnostic>&) {
  return Read(where, text);
}

bool looks_like_json(std::string_view head) {
  return trim(head).starts_with('{');
}

constexpr std::array kMatrixFormats{
    TrafficFormat{"json", "our own JSON, topowise.traffic/1", looks_like_json, without_warnings<traffic_from_json>},
    TrafficFormat{"npy", "NumPy .npy, a square array", looks_like_npy, without_warnings<read_npy>},
    TrafficFormat{"matrix-market", "MatrixMarket .mtx", looks_like_matrix_market, without_warnings<read_matrix_market>},
    TrafficFormat{"ompi-monitoring", "Open MPI monitoring .prof, of one rank or joined", looks_like_ompi_monitoring,
                  read_ompi_monitoring},
    TrafficFormat{"otf2-print", "OTF2 traces (Score-P), as otf2-print --show-all prints them", looks_like_otf2_print,
                  nullptr, read_otf2_print},
    TrafficFormat{"csv", "matrix with commas, semicolons or TABs; or source,destination,bytes[,messages]",
                  looks_like_csv, without_warnings<read_csv>},
    TrafficFormat{"qaplib", "QAPLIB .dat, its first matrix", looks_like_qaplib, read_qaplib},
    TrafficFormat{"metis", "METIS .graph, plain or weighted", looks_like_metis, without_warnings<read_metis>},
    TrafficFormat{"matrix", "rows of numbers between blanks", looks_like_matrix_text,
                  without_warnings<read_matrix_text>},
};

/// Formats of traces come first, because anything in braces could be our own JSON.
const std::vector<TrafficFormat>& formats() {
  static const std::vector<TrafficFormat> all = [] {
    std::vector<TrafficFormat> rows;
    for (const training::TraceFormat& trace : training::trace_formats())
      rows.push_back({trace.name, trace.help, trace.recognises, nullptr, nullptr, &trace});
    rows.insert(rows.end(), kMatrixFormats.begin(), kMatrixFormats.end());
    return rows;
  }();
  return all;
}

std::vector<std::string> format_names() {
  return names_of(formats());
}

const TrafficFormat& format_named(const std::string& name) {
  const auto found = std::ranges::find(formats(), name, &TrafficFormat::name);
  if (found != formats().end()) return *found;
  const std::vector<std::string> names = format_names();
  throw usage_error(unknown_name("traffic format", name, names), fmt::format("--format {}", fmt::join(names, "|")));
}

/// The format of a text, by the beginning of the unpacked file.
const TrafficFormat& format_of(const std::string& where, std::string_view text) {
  if (text.empty()) throw Error(ExitStatus::bad_input, {Diagnostic{where, {}, "the file is empty", {}, {}}});
  const std::string_view head = text.substr(0, kHead);
  if (looks_like_profile_file(head))
    throw Error(
        ExitStatus::bad_input,
        {Diagnostic{where, {}, "one process's part of a recorded profile", {}, "give the directory that it lies in"}});
  if (is_machine_text(head))
    throw Error(ExitStatus::bad_input, {Diagnostic{where,
                                                   {},
                                                   "this describes a machine, where traffic is asked for",
                                                   {},
                                                   "TRAFFIC comes first, then TOPOLOGY"}});
  for (const TrafficFormat& format : formats())
    if (format.recognises(head)) return format;
  if (std::string why = why_no_text(head); !why.empty())
    throw Error(ExitStatus::bad_input, {Diagnostic{where, {}, std::move(why), {}, {}}});
  throw Error(
      ExitStatus::bad_input,
      {Diagnostic{where,
                  {},
                  "not a traffic format that is known here",
                  {},
                  fmt::format("topowise traffic FILE --format {} forces one", fmt::join(format_names(), "|"))}});
}

/// Throws for devices, noise and binary files, before more is read in a format that is forced.
void check_head(const std::string& where, std::string_view head, const TrafficFormat& format) {
  if (format.trace != nullptr || head.empty()) return;
  const bool is_npy = looks_like_npy(head);
  if (is_npy && format.recognises(head)) return;
  std::string why = is_npy ? "this is an array of NumPy" : why_no_text(head.substr(0, kHead));
  if (!why.empty()) throw Error(ExitStatus::bad_input, {Diagnostic{where, {}, std::move(why), {}, {}}});
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

std::string head_of(const std::string& path) {
  ByteStream file = ByteStream::of_file(path);
  return std::string(file.head(kHead));
}

/// The format of a file, forced or by its content.
const TrafficFormat& format_of_file(const std::string& path, const TrafficOptions& options) {
  return options.format.empty() ? format_of(path, head_of(path)) : format_named(options.format);
}

std::string model_of(const TrafficOptions& options, std::string_view usual) {
  return options.collectives == "auto" ? std::string(usual) : options.collectives;
}
constexpr std::string_view kMpiModel = "openmpi";
constexpr std::string_view kTrainingModel = "nccl";

TrafficReading read_trace_files(const std::string& where, const std::vector<std::string>& paths,
                                const TrafficOptions& options) {
  if (!options.format.empty() && format_named(options.format).trace == nullptr)
    throw usage_error(fmt::format("'{}' is no format of traces, and '{}' names several files", options.format, where));
  std::vector<Diagnostic> warnings;
  const training::TraceOptions reading{.format = options.format,
                                       .model = &collective::model_named(model_of(options, kTrainingModel)),
                                       .progress = options.progress};
  Traffic traffic = training::read_traces(where, paths, reading, warnings);
  return {std::move(traffic), std::move(warnings)};
}

Traffic read_one_trace(ByteStream& file, const TrafficFormat& format, const TrafficOptions& options,
                       std::vector<Diagnostic>& warnings) {
  return training::read_trace(file, *format.trace, collective::model_named(model_of(options, kTrainingModel)),
                              warnings);
}

/// Whether a text must be converted before it is read (encoding.hpp). Traces of gigabytes in UTF-8 are not: they would
/// have to be kept in memory, and their readers go over a byte order mark.
bool is_to_convert(const std::string& where, std::string_view head, const TrafficOptions& options) {
  if (!is_foreign_text(head)) return false;
  if (is_utf16(head)) return true;
  if (!options.format.empty()) return format_named(options.format).trace == nullptr;
  return format_of(where, as_utf8_lines(std::string(head))).trace == nullptr;
}

/// Reads a text that need not be converted.
TrafficReading read_utf8_lines(const std::string& where, std::string_view text, const TrafficOptions& options) {
  ByteStream bytes = ByteStream::of_text(where, text);
  const TrafficFormat& format =
      options.format.empty() ? format_of(where, bytes.head(kHead)) : format_named(options.format);
  std::vector<Diagnostic> warnings;
  const auto read = [&] {
    if (format.trace != nullptr) return read_one_trace(bytes, format, options, warnings);
    if (format.read == nullptr)
      return format.read_calls(where, text, collective::model_named(model_of(options, kMpiModel)), warnings);
    return format.read(where, text, warnings);
  };
  Traffic traffic = read();
  return {std::move(traffic), std::move(warnings)};
}

TrafficReading read_converted(const std::string& where, std::string text, const TrafficOptions& options) {
  text = as_utf8_lines(std::move(text));
  const std::string_view head = std::string_view(text).substr(0, kHead);
  check_head(where, head, options.format.empty() ? format_of(where, head) : format_named(options.format));
  return read_utf8_lines(where, text, options);
}

/// The rest of a stream, which is kept in memory.
std::string rest_of(ByteStream& file) {
  std::string text;
  for (std::string_view block = file.next(); !block.empty(); block = file.next()) {
    if (text.size() + block.size() > kLargestStream) throw stream_too_large(file.where(), kLargestStream);
    text += block;
  }
  return text;
}

/// Reads standard input, a pipe or a device. Of a trace it keeps only a block at a time.
TrafficReading read_stream(const std::string& argument, const TrafficOptions& options) {
  ByteStream file = ByteStream::of_file(argument, options.progress);
  const std::string_view head = file.head(kHead);
  if (is_to_convert(file.where(), head, options)) return read_converted(file.where(), rest_of(file), options);
  const TrafficFormat& format = options.format.empty() ? format_of(file.where(), head) : format_named(options.format);
  std::vector<Diagnostic> warnings;
  if (format.trace != nullptr) {
    Traffic traffic = read_one_trace(file, format, options, warnings);
    return {std::move(traffic), std::move(warnings)};
  }
  check_head(file.where(), head, format);
  return read_traffic_text(file.where(), rest_of(file), options);
}

TrafficReading read_directory(const std::string& directory, const TrafficOptions& options) {
  std::vector<Diagnostic> warnings;
  const std::vector<std::string> recorded = files_in(directory, profile::kFileSuffix);
  if (!recorded.empty()) {
    const std::vector<ProfileFile> files = files_of_run(directory, recorded, options.run, warnings);
    Traffic traffic = merge_profile(directory, files, model_of(options, kMpiModel), options.memory, warnings);
    return {std::move(traffic), std::move(warnings)};
  }
  const std::vector<std::string> monitored = files_in(directory, ".prof");
  if (monitored.empty()) {
    const std::vector<std::string> files = files_in(directory, "");
    if (training::any_trace(files)) return read_trace_files(directory, files, options);
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
  if (argument == "live" || argument == "live:node" || std::ranges::any_of(kMachines, begins))
    throw bad_input(fmt::format("'{}' describes a machine, where traffic is asked for", argument),
                    "TRAFFIC comes first, then TOPOLOGY");
  throw bad_input(fmt::format("cannot read '{}': No such file or directory", argument),
                  "a TRAFFIC is a profile, a file, '-', pattern:NAME:DIMS or 'traces/*.json'");
}

}  // namespace

std::span<const TrafficFormat> traffic_formats() {
  return formats();
}

TrafficReading read_traffic_text(const std::string& where, std::string_view text, const TrafficOptions& options) {
  if (is_to_convert(where, text.substr(0, kHead), options)) return read_converted(where, std::string(text), options);
  return read_utf8_lines(where, text, options);
}

void check_names(const TrafficOptions& options) {
  if (!options.format.empty()) (void)format_named(options.format);
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
  if (const std::vector<std::string> files = training::listed_files(argument); !files.empty())
    return read_trace_files(argument, files, options);
  check_exists(argument);
  std::error_code ignored;
  if (argument != "-" && std::filesystem::is_directory(argument, ignored)) return read_directory(argument, options);
  if (argument == "-" || !std::filesystem::is_regular_file(argument, ignored)) return read_stream(argument, options);
  const bool converts = is_to_convert(argument, head_of(argument), options);
  if (!converts && format_of_file(argument, options).trace != nullptr)
    return read_trace_files(argument, {argument}, options);  // traces of gigabytes are not kept in memory
  // A file or a stream in no known format may be gigabytes of noise, so only its head is read.
  InputFile input(argument);
  if (converts) return read_converted(argument, std::move(input).whole(kLargestInput), options);
  const std::string head = input.head(kHead).substr(0, kHead);
  check_head(argument, head, options.format.empty() ? format_of(argument, head) : format_named(options.format));
  return read_traffic_text(argument, std::move(input).whole(kLargestInput), options);
}

TrafficReading read_gpu_traffic(const std::string& argument) {
  std::error_code ignored;
  std::vector<std::string> recorded;
  if (std::filesystem::is_directory(argument, ignored)) recorded = files_in(argument, profile::kFileSuffix);
  if (recorded.empty()) return read_traffic_with_warnings(argument);
  std::vector<Diagnostic> warnings;
  const std::vector<ProfileFile> files = files_of_run(argument, recorded, {}, warnings);
  const std::string collectives(kMpiModel);
  Traffic traffic = merge_profile(argument, files, collectives, "device", warnings);
  if (traffic.total_bytes() > Bytes(0)) return {std::move(traffic), std::move(warnings)};
  std::vector<Diagnostic> repeated;
  return {merge_profile(argument, files, collectives, "all", repeated), std::move(warnings)};
}

PhaseReading read_recorded_phases(const std::string& directory, Seconds gap, const TrafficOptions& options) {
  std::error_code ignored;
  std::vector<std::string> recorded;
  if (std::filesystem::is_directory(directory, ignored)) recorded = files_in(directory, profile::kFileSuffix);
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
  if (is_foreign_text(head_of(argument)) || format_of_file(argument, options).name != "metis") return std::nullopt;
  return read_metis_rows(argument, piece, pieces);
}

Traffic read_traffic(const std::string& argument, const TrafficOptions& options) {
  return read_traffic_with_warnings(argument, options).traffic;
}

}  // namespace topowise
