// SPDX-License-Identifier: BSD-3-Clause
// What a quote or a parallel shell puts before every line.
#pragma once

#include <string>
#include <string_view>

namespace topowise {

/// The prefix of all lines at the beginning of `text` that are not empty: ">" of a quote, "node1:" of pdsh, "0:" of
/// `srun --label`; empty if there is none. One line may begin with a word and a colon of its own.
[[nodiscard]] std::string_view common_line_prefix(std::string_view text);

/// What tells whose line this is where those of several hosts or processes are mixed, with blanks before it: "node1:"
/// of pdsh, " 3:" of `srun --label`, "[1,3]<stdout>:" of mpirun, "[3]", "[pod/name]"; empty if there is none.
[[nodiscard]] std::string_view line_label(std::string_view line);

/// The text with blanks in the place of that prefix, so that all else keeps its line and its column.
[[nodiscard]] std::string without_line_prefix(std::string text);

}  // namespace topowise
