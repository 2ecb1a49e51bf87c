// SPDX-License-Identifier: BSD-3-Clause
// Text as other systems save it.
#pragma once

#include <string>

namespace topowise {

/// Appends the bytes of a code point.
void append_utf8(std::string& text, char32_t point);

/// The text as UTF-8 with line feeds: UTF-16 with a byte order mark is converted (what PowerShell's '>' writes; broken
/// pairs become U+FFFD), and a text without any line feed has its carriage returns taken for line ends. Any other text
/// is returned as it is.
[[nodiscard]] std::string as_utf8_lines(std::string text);

}  // namespace topowise
