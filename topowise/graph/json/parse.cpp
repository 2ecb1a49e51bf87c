// SPDX-License-Identifier: BSD-3-Clause
// The only user of the JSON library: its event interface fills our own values, because its own do not know where in
// the text they stand.
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
      : document_(document), furthest_(furthest), token_begin_(document.text.data()) {}

  bool null() { return add({}); }
  bool boolean(bool truth) { return add(truth); }
  bool number_integer(std::int64_t number) { return add(static_cast<double>(number)); }
  bool number_unsigned(std::uint64_t number) { return add(number); }
  bool number_float(double number, const std::string&) { return add(number); }
  bool string(std::string& text) { return add(std::move(text)); }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // does not occur in text

  bool start_object(std::size_t) { return open(JsonValue::Object{}); }
  bool start_array(std::size_t) { return open(JsonValue::Array{}); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    const std::size_t offset = next_token();
    if (!keys_.back().insert(name).second)
      throw Error(ExitStatus::bad_input,
                  {document_.at(offset, fmt::format("the key '{}' stands twice", printable(name.substr(0, 80))))});
    key_ = std::move(name);
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
  using Content = decltype(JsonValue::content);

  std::size_t next_token() {
    const char* begin = token_begin_;
    while (begin < furthest_ && std::string_view(" \t\r\n,:").find(*begin) != std::string_view::npos) ++begin;
    token_begin_ = furthest_;
    return static_cast<std::size_t>(begin - document_.text.data());
  }

  JsonValue& place(Content&& content) {
    const std::size_t offset = next_token();
    JsonValue* target = &document_.root;
    if (!open_.empty()) {
      if (auto* array = std::get_if<JsonValue::Array>(&open_.back()->content)) {
        target = &array->emplace_back();
      } else {
        JsonMember& member = std::get<JsonValue::Object>(open_.back()->content).emplace_back();
        member.name = std::move(key_);
        target = &member.value;
      }
    }
    target->content = std::move(content);
    target->offset = offset;
    return *target;
  }
  bool add(Content&& content) {
    place(std::move(content));
    return true;
  }
  bool open(Content&& content) {
    JsonValue& value = place(std::move(content));
    if (open_.size() == kDeepest)
      throw Error(ExitStatus::bad_input,
                  {document_.at(value.offset, fmt::format("nested deeper than {} levels", kDeepest))});
    open_.push_back(&value);  // stays put: its container does not grow before it is closed
    keys_.emplace_back();
    return true;
  }
  bool close() {
    next_token();
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  JsonDocument& document_;
  const char*& furthest_;
  const char* token_begin_;
  std::vector<JsonValue*> open_;
  std::vector<std::set<std::string>> keys_;
  std::string key_;
};

std::string_view skip_blanks(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty() && (is_blank(text.front()) || text.front() == '\n')) text.remove_prefix(1);
  return text;
}

}  // namespace

JsonDocument parse_json(const std::string& where, std::string_view text) {
  JsonDocument document{where, text, {}};
  const char* furthest = text.data();
  Builder builder(document, furthest);
  nlohmann::json::sax_parse(CountingIterator(text.data(), &furthest),
                            CountingIterator(text.data() + text.size(), &furthest), &builder);
  return document;
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
