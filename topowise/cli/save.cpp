// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/save.hpp>

#include <fmt/format.h>

#include <initializer_list>

#include <topowise/base/file.hpp>

namespace topowise::cli {

namespace {

/// Whether `option` is '-'; then none of the others may want the standard output, too.
bool goes_to_output(const Arguments& arguments, std::string_view option,
                    std::initializer_list<std::string_view> others) {
  if (arguments.text(option) != "-") return false;
  for (const std::string_view other : others) {
    const Option* known = arguments.verb().option(other);
    if (known == nullptr || !arguments.has(other)) continue;
    if (other == "--save" && arguments.text(other) != "-") continue;  // a file
    throw usage_error(fmt::format("{} - and {} both want the standard output", option, other),
                      fmt::format("{} FILE writes a file", option));
  }
  return true;
}

void put(const Arguments& arguments, std::string_view option, std::string_view text, std::string_view note,
         Terminal& terminal) {
  const std::string path = arguments.text(option);
  if (path == "-") return terminal.print(text);
  write_file(path, text);
  terminal.note(fmt::format("wrote {}{}", path, note));
}

}  // namespace

bool saves_to_output(const Arguments& arguments) {
  return goes_to_output(arguments, "--save", {"--json", "--emit"});
}

bool traces_to_output(const Arguments& arguments) {
  return goes_to_output(arguments, "--trace", {"--json", "--save"});
}

void save(const Arguments& arguments, std::string_view text, Terminal& terminal) {
  put(arguments, "--save", text, "", terminal);
}

void save_trace(const Arguments& arguments, std::string_view text, Terminal& terminal) {
  put(arguments, "--trace", text, "; ui.perfetto.dev shows it", terminal);
}

}  // namespace topowise::cli
