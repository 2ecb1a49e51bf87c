// SPDX-License-Identifier: BSD-3-Clause
// Writes --save FILE of every verb, and --trace FILE of predictions.
#pragma once

#include <string_view>

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

/// What a verb writes.
enum class Saved : unsigned char { json, html, by_suffix };

/// True if FILE is "-": then the saved text is the only result. Throws Error(usage) if another option wants the
/// standard output as well, or if the suffix of FILE names another format; Error(bad_input) if FILE cannot be written.
/// Must be called before the work begins.
[[nodiscard]] bool saves_to_output(const Arguments& arguments, Saved saved = Saved::json);

/// Writes the text to FILE and says so, or prints it if FILE is "-".
void save(const Arguments& arguments, std::string_view text, Terminal& terminal);

/// The same two functions for --trace FILE; --save must name another file.
[[nodiscard]] bool traces_to_output(const Arguments& arguments);
void save_trace(const Arguments& arguments, std::string_view text, Terminal& terminal);

}  // namespace topowise::cli
