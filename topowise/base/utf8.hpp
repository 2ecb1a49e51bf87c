// SPDX-License-Identifier: BSD-3-Clause
// UTF-8 as Unicode 3.9 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace topowise {

/// True for a byte of a sequence that is not its first: such a byte takes no column of its own.
[[nodiscard]] constexpr bool continues_utf8(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}
/// Length of the UTF-8 sequence that begins `text`, which is not empty; 0 if there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text);
/// The code point of one sequence whose length utf8_length() gave.
[[nodiscard]] char32_t utf8_code_point(std::string_view sequence);

/// True for a character that a terminal or a browser obeys or hides instead of showing it: control characters, those
/// that turn the direction of writing, and those without width. With these a name could look like another.
[[nodiscard]] bool is_unseen(char32_t point);

}  // namespace topowise
