// SPDX-License-Identifier: BSD-3-Clause
// A parsed JSON text in which every value knows where it is, so that a wrong value is reported with line, column
// and the path of its key.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>

namespace topowise {

/// A whole text and where its values begin. Nothing is copied out of the text until it is asked for. So a document
/// takes about as much memory as its text: 4 bytes a number, word or key, 8 bytes an object or list.
struct JsonDocument {
  using Offset = std::uint32_t;
  /// Offsets have 32 bits, so a larger text cannot be read.
  static constexpr std::size_t kLargest = (std::size_t{1} << 32) - 1;

  std::string where;
  std::string_view text;
  /// Tokens in the order of the text. A number, word or key has one entry, its offset. An object or list has two: its
  /// offset, and the index behind its last token. Its elements follow, or the key and value of each member.
  std::deque<Offset> tokens;

  /// A diagnostic at a byte of the text.
  [[nodiscard]] Diagnostic at(std::size_t offset, std::string what) const;
};

/// Throws Error(bad_input) with line and column if the text is not JSON, has a key twice in one object, or is nested
/// deeper than any of our formats.
[[nodiscard]] JsonDocument parse_json(const std::string& where, std::string_view text);
/// The text of the JSON string that begins at `offset`. parse_json() has checked it.
[[nodiscard]] std::string decode_json_string(std::string_view text, std::size_t offset);

/// A value with its path from the root. It lives on the stack of the reader, below its parent.
class JsonNode {
 public:
  explicit JsonNode(const JsonDocument& document) : document_(document) {}

  /// Members of an object. find() gives nothing if the key is missing or null. A node points to its parent, so a
  /// temporary node has no children.
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

  [[nodiscard]] bool is_text() const { return first_character() == '"'; }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool is_null() const { return first_character() == 'n'; }
  [[nodiscard]] bool truth() const;
  [[nodiscard]] double number() const;
  /// A number that is not below 0.
  [[nodiscard]] double amount() const;
  /// A text, or a number or truth value as it is written, because some programs put their numbers into '"' and some do
  /// not.
  [[nodiscard]] std::string word() const;
  /// A whole number of at most `most`.
  [[nodiscard]] std::uint64_t whole(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;

  [[nodiscard]] const std::string& where() const { return document_.where; }
  /// An error "places[3].pci: what" at this value's line and column, to be thrown.
  [[nodiscard]] Error wrong(const std::string& what) const;

 private:
  /// `token` is the token of the value. `key` is the token of its name, or 0 (the root's token) for an element of a
  /// list.
  JsonNode(const JsonNode& parent, std::size_t token, std::size_t key, std::size_t index)
      : document_(parent.document_), token_(token), parent_(&parent), key_(key), index_(index) {}
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::size_t offset() const { return document_.tokens[token_]; }
  [[nodiscard]] char first_character() const { return document_.text[offset()]; }
  [[nodiscard]] std::string kind() const;
  /// The characters of a number, true, false or null.
  [[nodiscard]] std::string_view raw() const;
  /// The index behind a value's last token.
  [[nodiscard]] std::size_t behind(std::size_t token) const;
  void require_object() const;
  void require_list() const;
  /// The token of the value of a key; 0 if there is none.
  [[nodiscard]] std::size_t token_of(std::string_view key) const;

  const JsonDocument& document_;
  std::size_t token_ = 0;
  const JsonNode* parent_ = nullptr;
  std::size_t key_ = 0;
  std::size_t index_ = 0;
  /// The number of elements, and the element of a list that was asked for last, because the next one begins where it
  /// ends.
  mutable std::optional<std::size_t> size_;
  mutable std::size_t last_index_ = 0;
  mutable std::size_t last_token_ = 0;
};

/// Calls `read(element, index)` for every element of an array. Errors of single elements are collected and thrown
/// together at the end.
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

/// Checks the root of one of our texts: an object whose "schema", if it has one, is `schema`.
void check_schema(const JsonNode& root, std::string_view schema);

}  // namespace topowise
