// SPDX-License-Identifier: BSD-3-Clause
// What a quote or a parallel shell puts before every line.
#pragma once

#include <string>
#include <string_view>

namespace topowise {

/// The prefix of all lines at the beginning of `text` that are not empty: ">" of a quote, "node1:" of pdsh, "0:" of
/// `srun --label`; empty if they have none in common. A text of one line may begin with a word and a colon of its own,
/// so only ">" counts there.
[[nodiscard]] std::string_view common_line_prefix(std::string_view text);

/// The label that says whose a line is, where lines of several hosts or processes are mixed, with the blanks before it:
/// "node1:" of pdsh, " 3:" of `srun --label`, "[1,3]<stdout>:" of mpirun, "[3]", "[pod/name]"; empty if there is none.
[[nodiscard]] std::string_view line_label(std::string_view line);

/// The text with blanks in place of the common prefix, so that everything else keeps its line and its column.
[[nodiscard]] std::string without_line_prefix(std::string text);

}  // namespace topowise
