// SPDX-License-Identifier: BSD-3-Clause
// What the log of a container, a program or a web page makes of a text that it holds.
#pragma once

#include <string>
#include <string_view>

namespace topowise {

/// What `\n`, `\t`, `\"`, `\u003c` and their like stand for in JSON and in Python; any other escape stays.
[[nodiscard]] std::string without_escapes(std::string_view text);

/// The text itself, of a head of it or the whole: out of a container's log, in Docker's lines of JSON or those of CRI,
/// out of one string of JSON or Python, and without HTML's entities. Any other text is returned as it is.
[[nodiscard]] std::string unquoted(std::string text);

}  // namespace topowise
