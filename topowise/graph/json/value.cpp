// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/json/value.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

constexpr std::size_t kContainerTokens = 2;

bool is_container(char first) {
  return first == '{' || first == '[';
}

}  // namespace

Diagnostic JsonDocument::at(std::size_t offset, std::string what) const {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::size_t line_end = std::min(text.find('\n', offset), text.size());
  Diagnostic diagnostic{where, {}, std::move(what), {}, {}};
  diagnostic.position.line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  diagnostic.position.column = offset - line_start + 1;
  // A machine-written text may be one line of gigabytes. Beyond this column a diagnostic does not show the line.
  constexpr std::size_t kLongestQuoted = 4096;
  if (diagnostic.position.column < kLongestQuoted)
    diagnostic.source_line = std::string(text.substr(line_start, std::min(line_end - line_start, kLongestQuoted)));
  return diagnostic;
}

std::size_t JsonNode::behind(std::size_t token) const {
  return is_container(document_.text[document_.tokens[token]]) ? document_.tokens[token + 1] : token + 1;
}

void JsonNode::require_object() const {
  if (first_character() != '{') throw wrong("expected an object, found " + kind());
}

void JsonNode::require_list() const {
  if (first_character() != '[') throw wrong("expected a list, found " + kind());
}

std::size_t JsonNode::token_of(std::string_view key) const {
  require_object();
  const std::size_t end = behind(token_);
  for (std::size_t name = token_ + kContainerTokens; name < end; name = behind(name + 1)) {
    const std::size_t begin = document_.tokens[name] + 1;
    const std::string_view rest = document_.text.substr(begin);
    if (rest.starts_with(key) && rest.size() > key.size() && rest[key.size()] == '"') return name + 1;
    const std::size_t stop = std::min(rest.find_first_of("\"\\"), rest.size());  // an escaped key is decoded first
    if (stop < rest.size() && rest[stop] == '\\' && decode_json_string(document_.text, begin - 1) == key)
      return name + 1;
  }
  return 0;
}

JsonNode JsonNode::member(std::string_view key) const& {
  const std::size_t found = token_of(key);
  if (found == 0) throw wrong(fmt::format("the key '{}' is missing", key));
  return {*this, found, found - 1, 0};
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const& {
  const std::size_t found = token_of(key);
  if (found == 0 || document_.text[document_.tokens[found]] == 'n') return std::nullopt;
  return JsonNode(*this, found, found - 1, 0);
}

std::size_t JsonNode::size() const {
  require_list();
  if (!size_) {
    const std::size_t end = behind(token_);
    std::size_t count = 0;
    for (std::size_t element = token_ + kContainerTokens; element < end; element = behind(element)) ++count;
    size_ = count;
  }
  return *size_;
}

JsonNode JsonNode::element(std::size_t index) const& {
  require_list();
  if (last_token_ == 0 || index < last_index_) {
    last_index_ = 0;
    last_token_ = token_ + kContainerTokens;
  }
  for (; last_index_ < index; ++last_index_) last_token_ = behind(last_token_);
  return {*this, last_token_, 0, index};
}

std::vector<std::string> JsonNode::keys() const {
  require_object();
  std::vector<std::string> result;
  const std::size_t end = behind(token_);
  for (std::size_t name = token_ + kContainerTokens; name < end; name = behind(name + 1))
    result.push_back(decode_json_string(document_.text, document_.tokens[name]));
  return result;
}

std::string JsonNode::text() const {
  if (is_text()) return decode_json_string(document_.text, offset());
  throw wrong("expected a text, found " + kind());
}

std::string_view JsonNode::raw() const {
  const std::string_view rest = document_.text.substr(offset());
  return rest.substr(0, rest.find_first_of(" \t\r\n,]}"));
}

std::string JsonNode::kind() const {
  switch (first_character()) {
    case 'n':
      return "null";
    case 't':
    case 'f':
      return "a truth value";
    case '"':
      return "a text";
    case '[':
      return "a list";
    case '{':
      return "an object";
    default:
      return "a number";
  }
}

bool JsonNode::truth() const {
  const char first = first_character();
  if (first == 't' || first == 'f') return first == 't';
  throw wrong("expected true or false, found " + kind());
}

std::string JsonNode::word() const {
  const char first = first_character();
  if (first == '"') return text();
  if (first == 't' || first == 'f' || first == '-' || is_digit(first)) return std::string(raw());
  throw wrong("expected a word or a number, found " + kind());
}

double JsonNode::number() const {
  const char first = first_character();
  if (first != '-' && !is_digit(first)) throw wrong("expected a number, found " + kind());
  return parse_double(raw()).value_or(0);  // parse_json() has seen that this is a number
}

double JsonNode::amount() const {
  const double value = number();
  if (value < 0) throw wrong(fmt::format("'{}' is below 0", value));
  return value;
}

std::uint64_t JsonNode::whole(std::uint64_t most) const {
  std::uint64_t value = 0;
  const std::string_view digits = raw();
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (!is_digit(first_character()) || failure != std::errc{} || end != digits.data() + digits.size()) {
    constexpr double kExactUpTo = 9007199254740992.0;  // some programs write 3.0 for 3
    const double real = number();
    if (!(real >= 0 && real <= kExactUpTo && std::floor(real) == real))
      throw wrong(fmt::format("'{}' is not a whole number from 0", real));
    value = static_cast<std::uint64_t>(real);
  }
  if (value > most) throw wrong(fmt::format("'{}' is too large, at most {} is possible", value, most));
  return value;
}

Error JsonNode::wrong(const std::string& what) const {
  const std::string way = path();
  return {ExitStatus::bad_input, {document_.at(offset(), way.empty() ? what : way + ": " + what)}};
}

std::string JsonNode::path() const {
  if (parent_ == nullptr) return {};
  const std::string above = parent_->path();
  if (key_ == 0) return fmt::format("{}[{}]", above, index_);
  const std::string key = decode_json_string(document_.text, document_.tokens[key_]);
  return (above.empty() ? "" : above + ".") + printable(std::string_view(key).substr(0, 80));
}

void check_schema(const JsonNode& root, std::string_view schema) {
  const std::optional<JsonNode> found = root.find("schema");
  if (found && found->text() != schema) {
    throw found->wrong(
        fmt::format("'{}' is not '{}', which is wanted here", printable(found->text().substr(0, 80)), schema));
  }
}

}  // namespace topowise
