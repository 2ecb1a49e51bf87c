// SPDX-License-Identifier: BSD-3-Clause
// What `topowise help TOPIC` explains. The lists come from the tables of the families.
#pragma once

#include <span>
#include <string_view>

#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

struct Topic {
  std::string_view name;
  std::string_view summary;  ///< one line
  void (*show)(Terminal&);
};

[[nodiscard]] std::span<const Topic> topics();
void show_presets(Terminal& terminal);

/// Environment variables that the program reads, for help and manual pages.
struct Variable {
  std::string_view name;
  std::string_view help;
};
[[nodiscard]] std::span<const Variable> variables();

}  // namespace topowise::cli
