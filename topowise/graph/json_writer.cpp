// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/json_writer.hpp>

#include <fmt/format.h>

#include <cmath>

namespace topowise {
namespace {

/// Length of the UTF-8 sequence that begins `text`; 0 if there is none.
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
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and code points above U+10FFFF.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) || (first == 0xf0 && byte(1) < 0x90) ||
      (first == 0xf4 && byte(1) >= 0x90))
    return 0;
  return length;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0) {
      result += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
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
  text_ += quoted(name) + ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  return raw(quoted(text));
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

/// The comma and line break that stand between two elements; nothing between a key and its value.
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
