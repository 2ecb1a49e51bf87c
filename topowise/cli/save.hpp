// SPDX-License-Identifier: BSD-3-Clause
// --save FILE of every verb, --trace FILE of predictions.
#pragma once

#include <string>
#include <string_view>

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

/// Whether FILE is "-": then the saved text is the only result. Throws Error(usage) if another option wants the
/// standard output as well. To be asked before the work begins.
[[nodiscard]] bool saves_to_output(const Arguments& arguments);

/// Writes the text to FILE and says so, or prints it if FILE is "-".
void save(const Arguments& arguments, std::string_view text, Terminal& terminal);

/// The same of --trace FILE; --save must name another one.
[[nodiscard]] bool traces_to_output(const Arguments& arguments);
void save_trace(const Arguments& arguments, std::string_view text, Terminal& terminal);

}  // namespace topowise::cli
