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

/// So many traces stay open from the look at their beginning until they are read; others are opened again, because a
/// process may have few files open.
constexpr std::size_t kMostOpen = 64;

/// A file that is a trace by its beginning.
struct Candidate {
  std::string path;
  const TraceFormat* format = nullptr;
  std::optional<Input> input;
  std::size_t done = 0;  ///< bytes that the look at the beginning has read
  std::size_t size = 0;  ///< of the file
};

/// Nothing, and why, for what is no trace: also for what is no regular file, such as a pipe, which may never end.
std::optional<Candidate> open_trace(const std::string& path, const ReadProgress& progress, std::string& why_not) {
  std::optional<Input> input;
  try {
    input.emplace(Input::of_regular_file(path, progress));
    why_not = "not a trace that is known here";
    if (const TraceFormat* format = format_of(trace_formats(), input->text_head()))
      return Candidate{path, format, std::move(input), 0, 0};
  } catch (const Error& error) {
    if (input && lower(path).ends_with(".gz")) throw;  // a damaged trace is not taken for another kind of file
    why_not = error.diagnostics().front().what;
  }
  return std::nullopt;
}

/// Warns of files whose names look like traces, but which are none.
void warn_of_others(const std::map<std::string, std::string>& others, std::vector<Diagnostic>& warnings) {
  constexpr std::size_t kMost = 40;
  std::size_t found = 0;
  for (const auto& [path, why_not] : others) {
    const std::string name = lower(path);
    for (const std::string_view suffix : {".json", ".json.gz", ".et", ".jsonl", ".log"})
      if (name.ends_with(suffix) && ++found <= kMost) warnings.push_back({path, {}, why_not + ": left out", {}, {}});
  }
  if (found > kMost) warnings.push_back({{}, {}, fmt::format("{} more files are left out", found - kMost), {}, {}});
}

/// Which trace of how many is read.
struct Place {
  std::size_t file = 0;
  std::size_t files = 0;  ///< 0 as long as only the beginnings are looked at: nothing is reported then
  std::size_t done = 0;   ///< what would have been reported
  std::size_t size = 0;
};

/// Adds to the progress which file of how many it is, if there are several. `place` goes on while files are read.
ReadProgress progress_at(Place& place, const ReadProgress& progress) {
  if (!progress) return progress;
  return [&place, progress](const std::string& where, std::size_t done, std::size_t size) {
    place.done = done;
    place.size = size;
    if (place.files == 0) return;
    if (place.files == 1) return progress(where, done, size);
    progress(fmt::format("{} (file {} of {})", where, place.file, place.files), done, size);
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
  // First what each file is: one look at its beginning. Then the traces are read.
  std::map<std::string, std::string> others;  // by path: why it is no trace
  std::set<std::string_view> formats;
  std::vector<Candidate> wanted;
  Place place;
  const ReadProgress progress = progress_at(place, options.progress);
  for (const std::string& path : paths) {
    std::string why_not;
    std::optional<Candidate> found = open_trace(path, progress, why_not);
    if (!found) {
      others.emplace(path, why_not);
      continue;
    }
    formats.insert(found->format->name);
    if (!options.format.empty() && found->format->name != options.format) continue;
    found->done = place.done;
    found->size = place.size;
    if (wanted.size() >= kMostOpen) found->input.reset();
    wanted.push_back(*std::move(found));
  }
  if (formats.empty()) return std::nullopt;
  if (wanted.empty()) throw bad_input(fmt::format("no traces in '{}'", where));
  if (options.format.empty() && formats.size() > 1)
    throw bad_input(fmt::format("'{}' has traces of several formats: {}", where, fmt::join(formats, ", ")),
                    fmt::format("--format {} reads those only", *formats.begin()));
  std::vector<Trace> traces;
  place.files = wanted.size();
  for (Candidate& candidate : wanted) {
    ++place.file;
    if (progress && candidate.input) progress(candidate.path, candidate.done, candidate.size);
    if (!candidate.input) candidate.input.emplace(Input::of_regular_file(candidate.path, progress));
    candidate.format->read(*candidate.input, traces);
    candidate.input.reset();
  }
  warn_of_others(others, warnings);
  if (wanted.front().format->settle != nullptr) wanted.front().format->settle(traces);
  const collective::Model& usual = collective::model_named(wanted.front().format->model);
  return traffic_of_job(where, std::move(traces), options.model != nullptr ? *options.model : usual, warnings);
}

Traffic read_trace(Input& file, const TraceFormat& format, const collective::Model& model,
                   std::vector<Diagnostic>& warnings) {
  std::vector<Trace> traces;
  format.read(file, traces);
  if (format.settle != nullptr) format.settle(traces);
  return traffic_of_job(file.where(), std::move(traces), model, warnings);
}

}  // namespace topowise::training
