// SPDX-License-Identifier: BSD-3-Clause
// Text in the encodings of other systems.
#pragma once

#include <string>

namespace topowise {

/// Appends the bytes of a code point.
void append_utf8(std::string& text, char32_t point);

/// The text as UTF-8 with line feeds. UTF-16 with a byte order mark, which PowerShell's '>' writes, is converted;
/// broken pairs become U+FFFD. In a text without any line feed the carriage returns count as line ends. Any other text
/// is returned as it is.
[[nodiscard]] std::string as_utf8_lines(std::string text);

}  // namespace topowise
