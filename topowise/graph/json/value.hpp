// SPDX-License-Identifier: BSD-3-Clause
// A parsed JSON text in which every value knows where it stands, so that a wrong value is reported with line, column
// and the path of its key.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <topowise/base/error.hpp>

namespace topowise {

struct JsonMember;

/// One value. Whole numbers from 0 to 2^64-1 are kept exactly, all others as double.
struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;  ///< in the order of the text, no key twice

  std::variant<std::monostate, bool, std::uint64_t, double, std::string, Array, Object> content;
  std::size_t offset = 0;  ///< of its first character in the text
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

/// A whole text. Not copied: nodes point into it.
struct JsonDocument {
  std::string where;
  std::string_view text;
  JsonValue root;

  /// A diagnostic at a byte of the text.
  [[nodiscard]] Diagnostic at(std::size_t offset, std::string what) const;
};

/// Throws Error(bad_input) with line and column: not JSON, a key twice, nested deeper than any of our formats.
[[nodiscard]] JsonDocument parse_json(const std::string& where, std::string_view text);

/// A value with the way to it. Lives on the stack of the reader, below its parent.
class JsonNode {
 public:
  explicit JsonNode(const JsonDocument& document) : document_(document), value_(document.root) {}

  /// The members of an object. find(): nothing if the key is missing or null. A node points to its parent, so a
  /// temporary has no children.
  [[nodiscard]] JsonNode member(std::string_view key) const&;
  JsonNode member(std::string_view key) && = delete;
  [[nodiscard]] std::optional<JsonNode> find(std::string_view key) const&;
  std::optional<JsonNode> find(std::string_view key) && = delete;
  /// Elements of an array.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] JsonNode element(std::size_t index) const&;
  JsonNode element(std::size_t index) && = delete;
  /// Keys of an object, in the order of the text.
  [[nodiscard]] std::vector<std::string> keys() const;

  [[nodiscard]] bool is_text() const { return std::holds_alternative<std::string>(value_.content); }
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_.content); }
  [[nodiscard]] bool truth() const;
  [[nodiscard]] double number() const;
  /// A number that is not below 0.
  [[nodiscard]] double amount() const;
  /// A text, or a number or truth value as it would be written: for texts of programs that put numbers into '"' or not.
  [[nodiscard]] std::string word() const;
  /// A whole number of at most `most`.
  [[nodiscard]] std::uint64_t whole(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;

  [[nodiscard]] const std::string& where() const { return document_.where; }
  /// "places[3].pci: what" at this value's line and column, to throw.
  [[nodiscard]] Error wrong(const std::string& what) const;

 private:
  JsonNode(const JsonNode& parent, const JsonValue& value, std::string_view key, std::size_t index)
      : document_(parent.document_), value_(value), parent_(&parent), key_(key), index_(index) {}
  [[nodiscard]] std::string path() const;
  [[nodiscard]] const JsonValue::Object& object() const;
  [[nodiscard]] const JsonValue::Array& array() const;

  const JsonDocument& document_;
  const JsonValue& value_;
  const JsonNode* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

/// Calls `read(element, index)` for every element of an array; what is wrong with single elements is collected and
/// thrown together at the end.
template <class Read>
void for_each_element(const JsonNode& array, Read read) {
  constexpr std::size_t kMostErrors = 1000;
  Diagnostics wrong;
  for (std::size_t i = 0; i < array.size() && wrong.all().size() < kMostErrors; ++i) {
    try {
      read(array.element(i), i);
    } catch (const Error& error) {
      for (const Diagnostic& diagnostic : error.diagnostics()) wrong.add(diagnostic);
    }
  }
  wrong.throw_if_any();
}

/// The root of a text of ours: an object whose "schema", if it has one, is `schema`.
void check_schema(const JsonNode& root, std::string_view schema);

}  // namespace topowise
