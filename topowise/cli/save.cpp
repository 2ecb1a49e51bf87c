// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/save.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <system_error>

#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/write_all.hpp>
#include <topowise/base/write_target.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/job/process.hpp>

namespace topowise::cli {

namespace {

/// True if the value of `option` is '-'. Throws if one of the others wants the standard output, too.
bool goes_to_output(const Arguments& arguments, std::string_view option,
                    std::initializer_list<std::string_view> others) {
  if (arguments.text(option) != "-") return false;
  for (const std::string_view other : others) {
    const Option* known = arguments.verb().option(other);
    if (known == nullptr || !arguments.has(other)) continue;
    if (other == "--save" && arguments.text(other) != "-") continue;  // it writes a file
    throw usage_error(fmt::format("{} - and {} both want the standard output", option, other),
                      fmt::format("{} FILE writes a file", option));
  }
  return true;
}

/// Suffixes by which programs and people know a format. A file of another format is not written under such a name.
constexpr auto kKnownSuffixes = std::to_array<std::string_view>(
    {".json", ".jsonl", ".html", ".htm",  ".xhtml", ".svg",     ".pdf", ".png",    ".jpg", ".jpeg",    ".gif",
     ".webp", ".bmp",   ".tif",  ".tiff", ".ps",    ".eps",     ".csv", ".tsv",    ".mtx", ".xml",     ".yaml",
     ".yml",  ".toml",  ".dot",  ".gv",   ".gml",   ".graphml", ".xls", ".xlsx",   ".ods", ".doc",     ".docx",
     ".odt",  ".tex",   ".md",   ".rst",  ".npy",   ".npz",     ".pkl", ".pickle", ".h5",  ".parquet", ".sqlite",
     ".gz",   ".xz",    ".zst",  ".bz2",  ".zip",   ".tar",     ".tgz"});

/// Throws if the suffix of the file names another format than the option writes.
void check_suffix(const Arguments& arguments, std::string_view option, std::initializer_list<std::string_view> right,
                  std::string_view format) {
  const std::filesystem::path path = arguments.text(option);
  const std::string suffix = lower(path.extension().string());
  if (std::ranges::find(kKnownSuffixes, suffix) == kKnownSuffixes.end() ||
      std::ranges::find(right, suffix) != right.end())
    return;
  std::filesystem::path meant = path;
  meant.replace_extension();
  if (std::ranges::find(right, lower(meant.extension().string())) == right.end()) meant += *right.begin();
  throw Arguments::wrong(option,
                         fmt::format("'{}' would hold {}, whatever its suffix says", printable(path.string()), format),
                         fmt::format("{} {}", option, printable(meant.string())));
}

/// Throws what writing the file would throw at the end, when the work is done. In a job only rank 0 writes, perhaps
/// where the others cannot.
void check_writable(const std::string& path) {
  std::error_code problem;
  const job::Process process = job::this_process();
  if (path == "-" || std::filesystem::is_other(path, problem)) return;
  if (!process.launcher.empty() && process.rank > 0) return;
  if (!std::filesystem::is_directory(path, problem)) {
    const WriteTarget target = write_target(path);
    const Replacement trial(target);
    if (trial.descriptor() >= 0) return;
  } else {
    errno = EISDIR;
  }
  throw bad_input(fmt::format("cannot write '{}': {}", printable(path), std::strerror(errno)));
}

/// True if both paths name the same file, which need not exist yet. Both may name the same device.
bool name_one_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const auto whole = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path, problem), problem);
  };
  const fs::path first = whole(a);
  return !problem && first == whole(b) && !fs::is_other(first, problem);
}

/// Throws if both options name one file, because the second output would destroy the first.
void check_files_differ(const Arguments& arguments) {
  constexpr std::string_view kSave = "--save";
  constexpr std::string_view kTrace = "--trace";
  if (arguments.verb().option(kSave) == nullptr || !arguments.has(kSave) ||
      !name_one_file(arguments.text(kSave), arguments.text(kTrace)))
    return;
  throw usage_error(fmt::format("{} and {} both write '{}'", kSave, kTrace, arguments.text(kTrace)),
                    "each needs a file of its own");
}

/// After an interrupt nobody waits for a reader that may never come.
void put_if_read(const std::string& path, std::string_view text, Terminal& terminal) {
  const Descriptor pipe = open_pipe_with_reader(path);
  if (!pipe) return terminal.warn(fmt::format("nobody reads '{}': nothing was written to it", printable(path)));
  if (!write_all(pipe.number(), text))
    throw bad_input(fmt::format("cannot write '{}': {}", printable(path), std::strerror(errno)));
}

void put(const Arguments& arguments, std::string_view option, std::string_view text, std::string_view note,
         Terminal& terminal) {
  const std::string path = arguments.text(option);
  std::error_code problem;
  if (path == "-" || std::filesystem::is_other(path, problem)) InterruptGuard::search_is_over();
  if (path == "-") return terminal.print(text);
  if (InterruptGuard::interrupted() && std::filesystem::is_fifo(path, problem))
    return put_if_read(path, text, terminal);
  write_file(path, text);
  terminal.note(fmt::format("wrote {}{}", path, note));
}

}  // namespace

bool saves_to_output(const Arguments& arguments, Saved saved) {
  if (arguments.has("--save") && saved == Saved::json) check_suffix(arguments, "--save", {".json"}, "JSON");
  if (arguments.has("--save") && saved == Saved::html) check_suffix(arguments, "--save", {".html", ".htm"}, "HTML");
  const bool only_saved = goes_to_output(arguments, "--save", {"--json", "--emit"});
  if (arguments.has("--save") && saved != Saved::by_suffix) check_writable(arguments.text("--save"));
  return only_saved;
}

bool traces_to_output(const Arguments& arguments) {
  check_suffix(arguments, "--trace", {".json"}, "JSON");
  if (goes_to_output(arguments, "--trace", {"--json", "--save"})) return true;
  check_files_differ(arguments);
  check_writable(arguments.text("--trace"));
  return false;
}

void save(const Arguments& arguments, std::string_view text, Terminal& terminal) {
  put(arguments, "--save", text, "", terminal);
}

void save_trace(const Arguments& arguments, std::string_view text, Terminal& terminal) {
  put(arguments, "--trace", text, "; ui.perfetto.dev shows it", terminal);
}

}  // namespace topowise::cli
