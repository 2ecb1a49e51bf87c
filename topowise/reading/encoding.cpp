// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/encoding.hpp>

#include <algorithm>
#include <string_view>

namespace topowise {
namespace {

/// `text` is what follows the byte order mark.
std::string from_utf16(std::string_view text, bool little_endian) {
  constexpr char32_t kReplacement = 0xfffd;
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const auto second = static_cast<unsigned char>(text[at + 1]);
    return static_cast<char32_t>(little_endian ? second << 8 | first : first << 8 | second);
  };
  std::string result;
  result.reserve(text.size() / 2);
  for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
    char32_t point = unit(at);
    if (point >= 0xd800 && point < 0xdc00 && at + 3 < text.size() && (unit(at + 2) & 0xfc00) == 0xdc00) {
      point = 0x10000 + ((point & 0x3ff) << 10) + (unit(at + 2) & 0x3ff);
      at += 2;
    } else if (point >= 0xd800 && point < 0xe000) {
      point = kReplacement;
    }
    append_utf8(result, point);
  }
  return result;
}

}  // namespace

void append_utf8(std::string& text, char32_t point) {
  const auto byte = [&](char32_t value) { text += static_cast<char>(static_cast<unsigned char>(value)); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) {
    byte(0xc0 | point >> 6);
  } else if (point < 0x10000) {
    byte(0xe0 | point >> 12);
    byte(0x80 | (point >> 6 & 0x3f));
  } else {
    byte(0xf0 | point >> 18);
    byte(0x80 | (point >> 12 & 0x3f));
    byte(0x80 | (point >> 6 & 0x3f));
  }
  byte(0x80 | (point & 0x3f));
}

std::string as_utf8_lines(std::string text) {
  const std::string_view view = text;
  if (view.starts_with("\xff\xfe"))
    text = from_utf16(view.substr(2), true);
  else if (view.starts_with("\xfe\xff"))
    text = from_utf16(view.substr(2), false);
  if (text.find('\n') == std::string::npos) std::ranges::replace(text, '\r', '\n');
  return text;
}

}  // namespace topowise
