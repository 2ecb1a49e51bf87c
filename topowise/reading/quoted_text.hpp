// SPDX-License-Identifier: BSD-3-Clause
// Undoes what the log of a container, a program or a web page does to a text that it holds.
#pragma once

#include <string>
#include <string_view>

namespace topowise {

/// The text with `\n`, `\t`, `\"`, `\u003c` and their like replaced, as JSON and Python mean them. Any other escape
/// stays.
[[nodiscard]] std::string without_escapes(std::string_view text);

/// The text itself, from a head of it or the whole: out of a container's log (Docker's lines of JSON, or those of CRI),
/// out of one string of JSON or Python, and without HTML's entities. Any other text is returned as it is.
[[nodiscard]] std::string unquoted(std::string text);

}  // namespace topowise
