// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/training/files.hpp>

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/traffic_source/training/job.hpp>

namespace topowise::training {
namespace {

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

/// The files that match a pattern in the last part of a path.
std::vector<std::string> matches(const std::string& pattern) {
  const std::filesystem::path path(pattern);
  const std::string name = path.filename().string();
  if (is_pattern(path.parent_path().string()))
    throw bad_input(fmt::format("'{}': only the name of a file may be a pattern, not a directory's", pattern));
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  std::vector<std::string> found;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string file = entry->path().filename().string();
    if (::fnmatch(name.c_str(), file.c_str(), FNM_PERIOD) == 0)
      found.push_back(path.has_parent_path() ? entry->path().string() : file);
  }
  if (failure) throw bad_input(fmt::format("cannot read '{}': {}", folder, failure.message()));
  if (found.empty()) throw bad_input(fmt::format("no file is called '{}'", pattern));
  std::ranges::sort(found);
  return found;
}

/// A file that may be a trace.
struct Candidate {
  Input input;
  const TraceFormat* format;
};

/// Nothing, and why, for what is no trace: also for what is no regular file, such as a pipe, which may never end.
std::optional<Candidate> open_trace(const std::string& path, const ReadProgress& progress, std::string& why_not) {
  std::optional<Input> input;
  try {
    input.emplace(Input::of_regular_file(path, progress));
    why_not = "not a trace that is known here";
    if (const TraceFormat* format = format_of(trace_formats(), input->text_head()))
      return Candidate{*std::move(input), format};
  } catch (const Error& error) {
    if (input && lower(path).ends_with(".gz")) throw;  // a damaged trace is not taken for another kind of file
    why_not = error.diagnostics().front().what;
  }
  return std::nullopt;
}

/// Warns of files whose names look like traces, but which are none.
void warn_of_others(const std::map<std::string, std::string>& others, std::vector<Diagnostic>& warnings) {
  for (const auto& [path, why_not] : others) {
    const std::string name = lower(path);
    for (const std::string_view suffix : {".json", ".json.gz", ".et", ".jsonl", ".log"})
      if (name.ends_with(suffix)) warnings.push_back({path, {}, why_not + ": left out", {}, {}});
  }
}

/// Adds to the progress which file of how many it is, if there are several.
ReadProgress progress_of(std::size_t file, std::size_t files, const ReadProgress& progress) {
  if (files < 2 || !progress) return progress;
  return [=](const std::string& where, std::size_t done, std::size_t size) {
    progress(fmt::format("{} (file {} of {})", where, file, files), done, size);
  };
}

}  // namespace

std::vector<std::string> listed_files(const std::string& argument) {
  if (exists(argument)) return {};
  const std::vector<std::string_view> parts = split(argument, ',');
  if (parts.size() == 1 && !is_pattern(argument)) return {};
  std::vector<std::string> files;
  for (const std::string_view part : parts) {
    const std::string name(trim(part));
    if (name.empty()) continue;
    if (exists(name)) {
      files.push_back(name);
    } else if (is_pattern(name)) {
      const std::vector<std::string> found = matches(name);
      files.insert(files.end(), found.begin(), found.end());
    } else {
      std::error_code why = std::make_error_code(std::errc::no_such_file_or_directory);
      (void)std::filesystem::status(name, why);
      throw bad_input(fmt::format("cannot read '{}': {}", name, why.message()));
    }
  }
  return files;
}

std::optional<Traffic> read_traces(const std::string& where, const std::vector<std::string>& paths,
                                   const TraceOptions& options, std::vector<Diagnostic>& warnings) {
  std::vector<Trace> traces;
  std::map<std::string, std::string> others;  // by path: why it is no trace
  std::set<std::string_view> formats;
  std::set<std::string_view> wanted;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::string why_not;
    std::optional<Candidate> found = open_trace(paths[i], progress_of(i + 1, paths.size(), options.progress), why_not);
    if (!found) {
      others.emplace(paths[i], why_not);
      continue;
    }
    formats.insert(found->format->name);
    if (!options.format.empty() && found->format->name != options.format) continue;
    wanted.insert(found->format->name);
    if (wanted.size() > 1) continue;  // an error below
    Trace& trace = traces.emplace_back();
    trace.where = paths[i];
    found->format->read(found->input, trace);
  }
  if (formats.empty()) return std::nullopt;
  if (traces.empty()) throw bad_input(fmt::format("no traces in '{}'", where));
  if (wanted.size() > 1)
    throw bad_input(fmt::format("'{}' has traces of several formats: {}", where, fmt::join(wanted, ", ")),
                    fmt::format("--format {} reads those only", *wanted.begin()));
  warn_of_others(others, warnings);
  return traffic_of_job(where, std::move(traces), *options.model, warnings);
}

Traffic read_trace(Input& file, const TraceFormat& format, const collective::Model& model,
                   std::vector<Diagnostic>& warnings) {
  std::vector<Trace> traces(1);
  traces.front().where = file.where();
  format.read(file, traces.front());
  return traffic_of_job(file.where(), std::move(traces), model, warnings);
}

}  // namespace topowise::training
