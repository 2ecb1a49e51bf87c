// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/save.hpp>

#include <topowise/base/file.hpp>

namespace topowise::cli {

bool saves_to_output(const Arguments& arguments) {
  if (arguments.text("--save") != "-") return false;
  for (const std::string_view other : {"--json", "--emit"}) {
    if (arguments.verb().option(other) != nullptr && arguments.has(other))
      throw usage_error(fmt::format("--save - and {} both want the standard output", other),
                        "--save FILE writes a file");
  }
  return true;
}

bool traces_to_output(const Arguments& arguments) {
  if (arguments.text("--trace") != "-") return false;
  for (const std::string_view other : {"--json", "--save"}) {
    const bool wanted = arguments.verb().option(other) != nullptr && arguments.has(other) &&
                        (other == "--json" || arguments.text(other) == "-");
    if (wanted)
      throw usage_error(fmt::format("--trace - and {} both want the standard output", other),
                        "--trace FILE writes a file");
  }
  return true;
}

void save(const Arguments& arguments, std::string_view text, Terminal& terminal) {
  const std::string path = arguments.text("--save");
  if (path == "-") return terminal.print(text);
  write_file(path, text);
  terminal.note("wrote " + path);
}

void save_trace(const Arguments& arguments, std::string_view text, Terminal& terminal) {
  const std::string path = arguments.text("--trace");
  if (path == "-") return terminal.print(text);
  write_file(path, text);
  terminal.note(fmt::format("wrote {}; ui.perfetto.dev and chrome://tracing show it", path));
}

}  // namespace topowise::cli
