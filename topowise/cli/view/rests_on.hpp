// SPDX-License-Identifier: BSD-3-Clause
// The line that says what a result rests on beyond what sources state, and the same in JSON.
#pragma once

#include <span>
#include <string>

#include <topowise/cli/terminal.hpp>
#include <topowise/graph/json/writer.hpp>

namespace topowise::cli {

/// "rests on: NVLink of 25 GB/s a link; ..."; there must be some.
[[nodiscard]] std::string rests_on(std::span<const std::string> assumptions);
/// Prints that line, if there are assumptions.
void show_assumptions(std::span<const std::string> assumptions, Terminal& terminal);
/// Writes the key "assumptions", if there are any.
void write_assumptions(JsonWriter& writer, std::span<const std::string> assumptions);

}  // namespace topowise::cli
