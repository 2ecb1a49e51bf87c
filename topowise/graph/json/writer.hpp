// SPDX-License-Identifier: BSD-3-Clause
// Writes JSON text: the shortest numbers that read back as the same double, and a layout that people can read and diff
// (one line per place, link or matrix row).
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topowise {

/// Builds one JSON text from the outside in: `object()`, then `key("a").value(1)`, then `end()`.
class JsonWriter {
 public:
  enum class Layout : unsigned char {
    lines,  ///< each member or element on a line of its own
    row,    ///< all of it on one line, and everything inside it too
  };

  JsonWriter& object(Layout layout = Layout::lines) { return open('{', layout); }
  JsonWriter& array(Layout layout = Layout::lines) { return open('[', layout); }
  /// Closes the innermost object or array.
  JsonWriter& end();
  JsonWriter& key(std::string_view name);

  /// Bytes that are not UTF-8 become U+FFFD.
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth);
  /// Writes infinite and undefined numbers as null, because JSON has none.
  JsonWriter& value(double number);
  template <std::integral Integer>
  JsonWriter& value(Integer number) {
    return raw(std::to_string(number));
  }
  JsonWriter& null() { return raw("null"); }
  /// Writes the text, or null if it is empty.
  JsonWriter& text_or_null(std::string_view text) { return text.empty() ? null() : value(text); }
  /// Writes a number or the value of a quantity, or null if there is none.
  template <class Number>
  JsonWriter& value_or_null(const std::optional<Number>& number) {
    if (!number) return null();
    if constexpr (requires { number->value(); })
      return value(number->value());
    else
      return value(*number);
  }

  /// The text with a final line end.
  [[nodiscard]] std::string finish() &&;

 private:
  struct Level {
    char close;
    Layout layout;
    bool empty = true;
  };

  JsonWriter& open(char bracket, Layout layout);
  JsonWriter& raw(std::string_view token);
  void before_element();
  void new_line();

  std::string text_;
  std::vector<Level> open_;
  bool after_key_ = false;
};

}  // namespace topowise
