// SPDX-License-Identifier: BSD-3-Clause
// Text in the encodings of other systems.
#pragma once

#include <string>
#include <string_view>

namespace topowise {

/// Appends the bytes of a code point.
void append_utf8(std::string& text, char32_t point);

/// The text as UTF-8 with line feeds and without a byte order mark, which spreadsheets write. UTF-16 with a byte order
/// mark, which PowerShell's '>' writes, is converted; broken pairs become U+FFFD. In a text without any line feed the
/// carriage returns count as line ends. Any other text is returned as it is.
[[nodiscard]] std::string as_utf8_lines(std::string text);

/// Whether as_utf8_lines() would change the text that begins so: it has a byte order mark, or nothing but carriage
/// returns as line ends. Bytes that no text has are no sign of either.
[[nodiscard]] bool is_foreign_text(std::string_view head);
/// Whether it begins with a byte order mark of UTF-16.
[[nodiscard]] bool is_utf16(std::string_view head);

}  // namespace topowise
