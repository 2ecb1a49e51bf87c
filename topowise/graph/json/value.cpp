// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/json/value.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <topowise/base/text.hpp>

namespace topowise {
namespace {

std::string kind_of(const JsonValue& value) {
  constexpr std::array<std::string_view, 7> kNames{"null",   "a truth value", "a number", "a number",
                                                   "a text", "a list",        "an object"};
  return std::string(kNames[value.content.index()]);
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
  // A machine-written text may be one line of gigabytes; then the column has to do.
  constexpr std::size_t kLongestQuoted = 4096;
  if (diagnostic.position.column < kLongestQuoted)
    diagnostic.source_line = std::string(text.substr(line_start, std::min(line_end - line_start, kLongestQuoted)));
  return diagnostic;
}

JsonNode JsonNode::member(std::string_view key) const& {
  for (const auto& [name, value] : object()) {
    if (name == key) return {*this, value, name, 0};
  }
  throw wrong(fmt::format("the key '{}' is missing", key));
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const& {
  for (const auto& [name, value] : object()) {
    if (name == key && !std::holds_alternative<std::monostate>(value.content)) return JsonNode(*this, value, name, 0);
  }
  return std::nullopt;
}

std::size_t JsonNode::size() const {
  return array().size();
}
JsonNode JsonNode::element(std::size_t index) const& {
  return {*this, array()[index], {}, index};
}

std::vector<std::string> JsonNode::keys() const {
  std::vector<std::string> result;
  for (const auto& [name, value] : object()) result.push_back(name);
  return result;
}

const std::string& JsonNode::text() const {
  if (const auto* text = std::get_if<std::string>(&value_.content)) return *text;
  throw wrong("expected a text, found " + kind_of(value_));
}

bool JsonNode::truth() const {
  if (const bool* truth = std::get_if<bool>(&value_.content)) return *truth;
  throw wrong("expected true or false, found " + kind_of(value_));
}

std::string JsonNode::word() const {
  if (const bool* truth = std::get_if<bool>(&value_.content)) return *truth ? "true" : "false";
  if (is_text()) return text();
  return fmt::format("{}", number());
}

double JsonNode::number() const {
  if (const double* number = std::get_if<double>(&value_.content)) return *number;
  if (const std::uint64_t* number = std::get_if<std::uint64_t>(&value_.content)) return static_cast<double>(*number);
  throw wrong("expected a number, found " + kind_of(value_));
}

double JsonNode::amount() const {
  const double value = number();
  if (value < 0) throw wrong(fmt::format("'{}' is below 0", value));
  return value;
}

std::uint64_t JsonNode::whole(std::uint64_t most) const {
  std::uint64_t value = 0;
  if (const std::uint64_t* exact = std::get_if<std::uint64_t>(&value_.content)) {
    value = *exact;
  } else {  // some programs write 3.0 for 3
    constexpr double kExactUpTo = 9007199254740992.0;
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
  return {ExitStatus::bad_input, {document_.at(value_.offset, way.empty() ? what : way + ": " + what)}};
}

std::string JsonNode::path() const {
  if (parent_ == nullptr) return {};
  const std::string above = parent_->path();
  if (key_.empty()) return fmt::format("{}[{}]", above, index_);
  return (above.empty() ? "" : above + ".") + printable(key_.substr(0, 80));
}

const JsonValue::Object& JsonNode::object() const {
  if (const auto* object = std::get_if<JsonValue::Object>(&value_.content)) return *object;
  throw wrong("expected an object, found " + kind_of(value_));
}

const JsonValue::Array& JsonNode::array() const {
  if (const auto* array = std::get_if<JsonValue::Array>(&value_.content)) return *array;
  throw wrong("expected a list, found " + kind_of(value_));
}

void check_schema(const JsonNode& root, std::string_view schema) {
  const std::optional<JsonNode> found = root.find("schema");
  if (found && found->text() != schema) {
    throw found->wrong(
        fmt::format("'{}' is not '{}', which is wanted here", printable(found->text().substr(0, 80)), schema));
  }
}

}  // namespace topowise
