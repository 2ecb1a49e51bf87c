// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/json/writer.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include <topowise/base/utf8.hpp>

namespace topowise {
namespace {

/// As JSON writes it in ASCII: UTF-16, a pair of surrogates for what is above U+FFFF.
std::string escaped(char32_t point) {
  const auto number = static_cast<std::uint32_t>(point);
  if (number < 0x10000) return fmt::format("\\u{:04x}", number);
  return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((number - 0x10000) >> 10), 0xdc00 + (number & 0x3ff));
}

/// What would not be seen is escaped: a terminal shows these texts as they are.
std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0) {
      result += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (const char32_t point = utf8_code_point(text.substr(0, length)); is_unseen(point)) {
      result += escaped(point);
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

}  // namespace

JsonWriter& JsonWriter::open(char bracket, Layout layout) {
  if (!open_.empty() && open_.back().layout == Layout::row) layout = Layout::row;
  before_element();
  text_ += bracket;
  open_.push_back({bracket == '{' ? '}' : ']', layout});
  return *this;
}

JsonWriter& JsonWriter::end() {
  const Level closed = open_.back();
  open_.pop_back();
  if (!closed.empty && closed.layout == Layout::lines) new_line();
  text_ += closed.close;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  before_element();
  text_ += json_string(name) + ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  return raw(json_string(text));
}
JsonWriter& JsonWriter::value(bool truth) {
  return raw(truth ? "true" : "false");
}
JsonWriter& JsonWriter::value(double number) {
  if (number == 0) return raw("0");  // a negative zero would come back as a positive one
  return std::isfinite(number) ? raw(fmt::format("{}", number)) : null();
}

std::string JsonWriter::finish() && {
  text_ += '\n';
  return std::move(text_);
}

JsonWriter& JsonWriter::raw(std::string_view token) {
  before_element();
  text_ += token;
  return *this;
}

/// The comma and line break that are between two elements; nothing between a key and its value.
void JsonWriter::before_element() {
  if (after_key_ || open_.empty()) {
    after_key_ = false;
    return;
  }
  Level& level = open_.back();
  if (!level.empty) text_ += level.layout == Layout::row ? ", " : ",";
  if (level.layout == Layout::lines) new_line();
  level.empty = false;
}

void JsonWriter::new_line() {
  text_ += '\n';
  text_.append(2 * open_.size(), ' ');
}

}  // namespace topowise
