// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/utf8.hpp>

#include <algorithm>
#include <array>

namespace topowise {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : (first & 0xf0) == 0xe0        ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues_utf8(text[i])) return 0;
  }
  // Refuses overlong forms, surrogates, and code points above U+10FFFF.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) || (first == 0xf0 && byte(1) < 0x90) ||
      (first == 0xf4 && byte(1) >= 0x90))
    return 0;
  return length;
}

char32_t utf8_code_point(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(sequence[i])); };
  if (sequence.size() == 1) return byte(0);
  // The first byte holds 7 - length bits of the number, the others six each.
  char32_t point = byte(0) & (0x7fU >> sequence.size());
  for (std::size_t i = 1; i < sequence.size(); ++i) point = point << 6 | (byte(i) & 0x3f);
  return point;
}

bool is_unseen(char32_t point) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  // Unicode's categories Cc, Zl and Zp, and its Default_Ignorable_Code_Point. What chooses the form of the character
  // before it (U+FE00 to U+FE0F) is among them: two names could differ by that alone. Category Cf has no others that
  // are not drawn.
  constexpr std::array<Range, 19> kUnseen{{{0, 0x1f},
                                           {0x7f, 0x9f},
                                           {0xad, 0xad},
                                           {0x34f, 0x34f},
                                           {0x61c, 0x61c},
                                           {0x115f, 0x1160},
                                           {0x17b4, 0x17b5},
                                           {0x180b, 0x180f},
                                           {0x200b, 0x200f},
                                           {0x2028, 0x202e},
                                           {0x2060, 0x206f},
                                           {0x3164, 0x3164},
                                           {0xfe00, 0xfe0f},
                                           {0xfeff, 0xfeff},
                                           {0xffa0, 0xffa0},
                                           {0xfff0, 0xfffb},
                                           {0x1bca0, 0x1bca3},
                                           {0x1d173, 0x1d17a},
                                           {0xe0000, 0xe0fff}}};
  return std::ranges::any_of(kUnseen, [&](const Range& range) { return point >= range.first && point <= range.last; });
}

}  // namespace topowise
