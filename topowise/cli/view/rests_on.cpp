// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/rests_on.hpp>

#include <fmt/format.h>

namespace topowise::cli {

std::string rests_on(std::span<const std::string> assumptions) {
  return fmt::format("rests on: {}", fmt::join(assumptions, "; "));
}

void show_assumptions(std::span<const std::string> assumptions, Terminal& terminal) {
  if (!assumptions.empty()) terminal.print("{}\n", rests_on(assumptions));
}

void write_assumptions(JsonWriter& writer, std::span<const std::string> assumptions) {
  if (assumptions.empty()) return;
  writer.key("assumptions").array();
  for (const std::string& each : assumptions) writer.value(each);
  writer.end();
}

}  // namespace topowise::cli
