// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/encoding.hpp>

#include <algorithm>
#include <string_view>

namespace topowise {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
constexpr std::string_view kLittleEndianMark = "\xff\xfe";
constexpr std::string_view kBigEndianMark = "\xfe\xff";

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
  if (view.starts_with(kUtf8Mark))
    text.erase(0, kUtf8Mark.size());
  else if (view.starts_with(kLittleEndianMark))
    text = from_utf16(view.substr(kLittleEndianMark.size()), true);
  else if (view.starts_with(kBigEndianMark))
    text = from_utf16(view.substr(kBigEndianMark.size()), false);
  if (text.find('\n') == std::string::npos) std::ranges::replace(text, '\r', '\n');
  return text;
}

bool is_utf16(std::string_view head) {
  return head.starts_with(kLittleEndianMark) || head.starts_with(kBigEndianMark);
}

bool is_foreign_text(std::string_view head) {
  if (head.starts_with(kUtf8Mark) || is_utf16(head)) return true;
  const auto is_of_no_text = [](char c) {
    return static_cast<unsigned char>(c) < ' ' && std::string_view("\t\r\v\f").find(c) == std::string_view::npos;
  };
  return head.find('\r') != std::string_view::npos && std::ranges::none_of(head, is_of_no_text);
}

}  // namespace topowise
