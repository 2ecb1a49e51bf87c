// SPDX-License-Identifier: BSD-3-Clause
// The only user of the JSON library: its event interface tells where each value begins, because its own values do not
// know where in the text they stand. They keep no more than that: a value is read from the text when it is asked for.
#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/value.hpp>

namespace topowise {
namespace {

/// None of our formats needs more than 5.
constexpr std::size_t kDeepest = 64;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Reads the text and tells how far it is.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    *furthest_ = ++at_;
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
  const char** furthest_;
};

/// Receives the events. A token's own begin is the first character after the last token that is no blank and no
/// separator. Throws Error where the library would go on.
class Builder {
 public:
  Builder(JsonDocument& document, const char*& furthest)
      : document_(document), furthest_(furthest), token_begin_(document.text.data()) {
    if (document.text.starts_with(kByteOrderMark)) token_begin_ += kByteOrderMark.size();
  }

  bool null() { return add(); }
  bool boolean(bool) { return add(); }
  bool number_integer(std::int64_t) { return add(); }
  bool number_unsigned(std::uint64_t) { return add(); }
  bool number_float(double, const std::string&) { return add(); }
  bool string(const std::string&) { return add(); }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // does not occur in text

  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return open(); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(const std::string& name) {
    const std::size_t offset = next_token();
    std::set<std::string>& keys = open_.back().keys;
    if (keys.size() == JsonDocument::kMostKeys)
      throw Error(ExitStatus::bad_input,
                  {document_.at(offset, fmt::format("more than {} keys in one object", JsonDocument::kMostKeys))});
    if (!keys.insert(name).second)
      throw Error(ExitStatus::bad_input,
                  {document_.at(offset, fmt::format("the key '{}' stands twice", printable(name.substr(0, 80))))});
    add_token(offset);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& failure) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: what": line and column are said already.
    std::string_view what = failure.what();
    if (const std::size_t tag = what.find("] "); tag != std::string_view::npos) what.remove_prefix(tag + 2);
    if (what.starts_with("parse error")) what.remove_prefix(std::min(what.find(": ") + 2, what.size()));
    throw Error(ExitStatus::bad_input,
                {document_.at(position > 0 ? position - 1 : 0, "not valid JSON: " + printable(what.substr(0, 240)))});
  }

 private:
  struct Open {
    std::size_t token = 0;
    std::size_t members = 0;
    std::set<std::string> keys;
  };

  std::size_t next_token() {
    const char* begin = token_begin_;
    while (begin < furthest_ && std::string_view(" \t\r\n,:").find(*begin) != std::string_view::npos) ++begin;
    token_begin_ = furthest_;
    return static_cast<std::size_t>(begin - document_.text.data());
  }

  void add_token(std::size_t value) { document_.tokens.push_back(static_cast<JsonDocument::Offset>(value)); }
  /// A value begins here.
  std::size_t place() {
    const std::size_t offset = next_token();
    if (!open_.empty()) ++open_.back().members;
    add_token(offset);
    return offset;
  }
  bool add() {
    place();
    return true;
  }
  bool open() {
    const std::size_t token = document_.tokens.size();
    const std::size_t offset = place();
    if (open_.size() == kDeepest)
      throw Error(ExitStatus::bad_input, {document_.at(offset, fmt::format("nested deeper than {} levels", kDeepest))});
    add_token(0);
    add_token(0);
    open_.push_back({token, 0, {}});
    return true;
  }
  bool close() {
    next_token();
    const Open& closed = open_.back();
    document_.tokens[closed.token + 1] = static_cast<JsonDocument::Offset>(document_.tokens.size());
    document_.tokens[closed.token + 2] = static_cast<JsonDocument::Offset>(closed.members);
    open_.pop_back();
    return true;
  }

  JsonDocument& document_;
  const char*& furthest_;
  const char* token_begin_;
  std::vector<Open> open_;
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
  const char* furthest = text.data();
  Builder builder(document, furthest);
  nlohmann::json::sax_parse(CountingIterator(text.data(), &furthest),
                            CountingIterator(text.data() + text.size(), &furthest), &builder);
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
