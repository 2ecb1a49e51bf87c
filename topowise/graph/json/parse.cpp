// SPDX-License-Identifier: BSD-3-Clause
// Only this file uses the JSON library. The library's own values do not know where in the text they are, but its
// event interface says where each value begins. A document keeps no more than that; a value is read from the text when
// it is asked for.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/value.hpp>

namespace topowise {
namespace {

/// None of our formats needs more than 5.
constexpr std::size_t kDeepest = 64;
/// A text may have this many tokens even if all of them are brackets.
constexpr std::size_t kFewTokens = std::size_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Most characters between two values. The library keeps what it has read since the last value, and needs many times as
/// much memory to say what is wrong with it.
constexpr std::ptrdiff_t kLongestToken = std::ptrdiff_t{1} << 20;

/// How far the text is read, and where the last token ended.
struct Progress {
  const char* furthest;
  const char* token_begin;
};

/// Thrown to leave the library, which cannot be stopped otherwise.
struct TokenTooLong {};

/// Reads the text and says how far it is.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Progress& progress) : at_(at), progress_(&progress) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    progress_->furthest = ++at_;
    if (at_ - progress_->token_begin > kLongestToken) throw TokenTooLong();
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  Progress* progress_;
};

/// Receives the events. A token begins at the first character after the last token that is no blank and no separator.
/// Throws Error where the library would go on.
class Builder {
 public:
  Builder(JsonDocument& document, Progress& progress) : document_(document), progress_(progress) {
    if (document.text.starts_with(kByteOrderMark)) progress.token_begin += kByteOrderMark.size();
  }

  bool null() { return add(); }
  bool boolean(bool) { return add(); }
  bool number_integer(std::int64_t) { return add(); }
  bool number_unsigned(std::uint64_t) { return add(); }
  bool number_float(double, const std::string&) { return add(); }
  bool string(const std::string&) { return add(); }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // binary values do not occur in text

  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return open(); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(const std::string&) {
    add_token(next_token());
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& failure) {
    // The library writes "[json.exception.parse_error.101] parse error at line 1, column 5: what". Only the last part
    // is kept, because the diagnostic gives line and column.
    std::string_view what = failure.what();
    if (const std::size_t tag = what.find("] "); tag != std::string_view::npos) what.remove_prefix(tag + 2);
    if (what.starts_with("parse error")) what.remove_prefix(std::min(what.find(": ") + 2, what.size()));
    throw Error(ExitStatus::bad_input,
                {document_.at(position > 0 ? position - 1 : 0, "not valid JSON: " + printable(what.substr(0, 240)))});
  }

 private:
  std::size_t next_token() {
    const char* begin = progress_.token_begin;
    while (begin < progress_.furthest && std::string_view(" \t\r\n,:").find(*begin) != std::string_view::npos) ++begin;
    progress_.token_begin = progress_.furthest;
    return static_cast<std::size_t>(begin - document_.text.data());
  }

  void add_token(std::size_t value) { document_.tokens.push_back(static_cast<JsonDocument::Offset>(value)); }
  /// Records the begin of a value.
  bool add() {
    add_token(next_token());
    return true;
  }
  bool open() {
    const std::size_t token = document_.tokens.size();
    const std::size_t offset = next_token();
    add_token(offset);
    if (open_.size() == kDeepest)
      throw Error(ExitStatus::bad_input, {document_.at(offset, fmt::format("nested deeper than {} levels", kDeepest))});
    if (token > kFewTokens && token * sizeof(JsonDocument::Offset) > offset / 4 * 3)
      throw Error(ExitStatus::bad_input, {document_.at(offset, "more brackets than values: this is no description")});
    add_token(0);
    open_.push_back(token);
    return true;
  }
  bool close() {
    next_token();
    const std::size_t token = open_.back();
    document_.tokens[token + 1] = static_cast<JsonDocument::Offset>(document_.tokens.size());
    if (document_.text[document_.tokens[token]] == '{') check_keys(token);
    open_.pop_back();
    return true;
  }

  /// Throws if a key of an object that has ended occurs twice. Keeps only the offsets of the keys.
  void check_keys(std::size_t token) {
    keys_.clear();
    const auto behind = [&](std::size_t value) {
      const char first = document_.text[document_.tokens[value]];
      return first == '{' || first == '[' ? document_.tokens[value + 1] : value + 1;
    };
    for (std::size_t name = token + 2; name < document_.tokens.size(); name = behind(name + 1))
      keys_.push_back(document_.tokens[name]);
    const bool escaped = std::ranges::any_of(keys_, [&](JsonDocument::Offset key) {
      const std::string_view rest = document_.text.substr(key + 1);
      return rest[rest.find_first_of("\"\\")] == '\\';
    });
    std::optional<JsonDocument::Offset> again;
    const auto compare = [&](const auto& text_of) {
      std::ranges::stable_sort(keys_, {}, text_of);
      for (std::size_t i = 1; i < keys_.size(); ++i) {
        if (text_of(keys_[i]) == text_of(keys_[i - 1])) again = std::min(again.value_or(keys_[i]), keys_[i]);
      }
    };
    if (escaped)
      compare([&](JsonDocument::Offset key) { return decode_json_string(document_.text, key); });
    else
      compare([&](JsonDocument::Offset key) {
        const std::string_view rest = document_.text.substr(key + 1);
        return rest.substr(0, rest.find('"'));
      });
    if (!again) return;
    const std::string name = decode_json_string(document_.text, *again).substr(0, 80);
    throw Error(ExitStatus::bad_input,
                {document_.at(*again, fmt::format("the key '{}' occurs twice", printable(name)))});
  }

  JsonDocument& document_;
  Progress& progress_;
  std::vector<std::size_t> open_;           ///< tokens of the values that have not ended
  std::vector<JsonDocument::Offset> keys_;  ///< scratch of check_keys(): the keys of one object
};

std::string_view skip_blanks(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty() && (is_blank(text.front()) || text.front() == '\n')) text.remove_prefix(1);
  return text;
}

}  // namespace

JsonDocument parse_json(const std::string& where, std::string_view text) {
  JsonDocument document{where, text, {}};
  if (text.size() > JsonDocument::kLargest)
    throw Error(
        ExitStatus::bad_input,
        {document.at(0, fmt::format("{} bytes of JSON, at most {} are read", text.size(), JsonDocument::kLargest))});
  Progress progress{text.data(), text.data()};
  Builder builder(document, progress);
  try {
    nlohmann::json::sax_parse(CountingIterator(text.data(), progress),
                              CountingIterator(text.data() + text.size(), progress), &builder);
  } catch (const TokenTooLong&) {
    const auto offset = static_cast<std::size_t>(progress.token_begin - text.data());
    throw Error(ExitStatus::bad_input,
                {document.at(offset, fmt::format("more than {} MiB without a value", kLongestToken >> 20))});
  }
  return document;
}

std::string decode_json_string(std::string_view text, std::size_t offset) {
  std::size_t end = offset + 1;
  bool escaped = false;
  for (; text[end] != '"'; ++end) {
    if (text[end] != '\\') continue;
    escaped = true;
    ++end;
  }
  const std::string_view inside = text.substr(offset + 1, end - offset - 1);
  return escaped ? nlohmann::json::parse(text.substr(offset, end + 1 - offset)).get<std::string>()
                 : std::string(inside);
}

std::string_view json_schema(std::string_view head) {
  constexpr std::string_view kKey = "\"schema\"";
  head = skip_blanks(head);
  if (!head.starts_with('{')) return {};
  for (std::size_t at = head.find(kKey); at != std::string_view::npos; at = head.find(kKey, at + 1)) {
    std::string_view rest = skip_blanks(head.substr(at + kKey.size()));
    if (!rest.starts_with(':')) continue;
    rest = skip_blanks(rest.substr(1));
    if (!rest.starts_with("\"topowise.")) continue;
    return rest.substr(1, rest.find('"', 1) - 1);
  }
  return {};
}

}  // namespace topowise
