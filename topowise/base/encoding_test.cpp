// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/encoding.hpp>

#include <doctest/doctest.h>

#include <string_view>

using namespace topowise;

namespace {

std::string utf16(std::u16string_view text, bool little_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xff);
    const char high = static_cast<char>(unit >> 8);
    bytes += little_endian ? std::string{low, high} : std::string{high, low};
  }
  return bytes;
}

}  // namespace

TEST_CASE("UTF-16 of both orders becomes UTF-8") {
  for (const bool little_endian : {true, false}) {
    CHECK(as_utf8_lines(utf16(u"\ufeffK\u00f6ln \u673a\n\U0001F600", little_endian)) ==
          "K\xc3\xb6ln \xe6\x9c\xba\n\xf0\x9f\x98\x80");
    CHECK(as_utf8_lines(utf16(u"\ufeffa\xd800z", little_endian)) == "a\xef\xbf\xbdz");
    CHECK(as_utf8_lines(utf16(u"\ufeffa", little_endian) + "b") == "a");  // the last unit is incomplete
  }
}

TEST_CASE("carriage returns alone are line ends, others stay") {
  CHECK(as_utf8_lines("a\rb\r") == "a\nb\n");
  CHECK(as_utf8_lines("a\r\nb\r\n") == "a\r\nb\r\n");
  CHECK(as_utf8_lines("\xef\xbb\xbfplain") == "plain");
  CHECK(as_utf8_lines("\xef\xbb\xbf").empty());
  CHECK(as_utf8_lines("").empty());
}

TEST_CASE("which texts are changed shows at their beginning") {
  for (const std::string_view foreign : {"\xef\xbb\xbfplain", "\xff\xfe", "\xfe\xff", "a\rb", "\r"})
    CHECK(is_foreign_text(foreign));
  for (const std::string_view plain : {"", "plain", "a\r\nb", "a\rb\n", "a\r\x01"}) CHECK_FALSE(is_foreign_text(plain));
  CHECK_FALSE(is_foreign_text(std::string_view("a\r\0", 3)));
}
