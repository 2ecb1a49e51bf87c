// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/json_events.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>

namespace topowise {
namespace {

/// The library takes six times this much memory for a token. It keeps brackets and commas, too.
constexpr std::size_t kLongestToken = std::size_t{16} << 20;
constexpr std::size_t kBlankBlock = std::size_t{64} << 10;
constexpr std::size_t kShownLine = 4096;  ///< longer lines are not shown with an error

/// The characters of a stream, and where the reader is.
class Cursor {
 public:
  explicit Cursor(Input& bytes) : bytes_(bytes) {}

  [[nodiscard]] char current() const { return *at_; }
  void advance() { ++at_; }
  bool at_end() { return at_ == end_ && !refill(); }
  void token_ends() { token_began_ = offset(); }

  /// A diagnostic at the last character that was read.
  [[nodiscard]] Diagnostic here(std::string what, std::string hint) const {
    const std::size_t column = offset() > line_began_ ? offset() - line_began_ : 1;
    Diagnostic found{bytes_.where(), {line_, column}, std::move(what), {}, std::move(hint)};
    // line_ is the line in which the block begins, so the lines read since then are added.
    const std::string_view read(begin_, static_cast<std::size_t>(at_ - begin_));
    found.position.line += static_cast<std::size_t>(std::ranges::count(read, '\n'));
    const std::size_t newline = read.rfind('\n');
    std::string_view line(begin_, static_cast<std::size_t>(end_ - begin_));
    if (newline != std::string_view::npos) {
      found.position.column = std::max<std::size_t>(read.size() - newline - 1, 1);
      line.remove_prefix(newline + 1);
    } else if (line_began_ < block_began_) {
      return found;  // the begin of the line is no longer in memory
    }
    line = line.substr(0, line.find('\n'));
    if (line.size() <= kShownLine) found.source_line = line;
    return found;
  }

 private:
  [[nodiscard]] std::size_t offset() const { return block_began_ + static_cast<std::size_t>(at_ - begin_); }

  bool refill() {
    const std::string_view block(begin_, static_cast<std::size_t>(end_ - begin_));
    line_ += static_cast<std::size_t>(std::ranges::count(block, '\n'));
    if (const std::size_t newline = block.rfind('\n'); newline != std::string_view::npos)
      line_began_ = block_began_ + newline + 1;
    block_began_ += block.size();
    begin_ = at_ = end_ = nullptr;
    // The library takes twenty times as much memory to say what is wrong with blanks.
    const bool all_blank = block.size() >= kBlankBlock && block.find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (all_blank && last_blank_) throw VisitorFailure{"more than 1 MiB of blanks", {}};
    last_blank_ = all_blank;
    if (block_began_ - token_began_ > kLongestToken)
      throw VisitorFailure{fmt::format("more than {} MiB without a number or a text", kLongestToken >> 20), {}};
    const std::string_view next = bytes_.next();
    begin_ = at_ = next.data();
    end_ = begin_ + next.size();
    return !next.empty();
  }

  Input& bytes_;
  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::size_t block_began_ = 0;  ///< offset in the text
  std::size_t line_ = 1;         ///< the line in which the block begins
  std::size_t line_began_ = 0;
  std::size_t token_began_ = 0;
  bool last_blank_ = false;  ///< the block before was all blank
};

/// The cursor as an iterator, which the library wants.
class Characters {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Characters() = default;
  explicit Characters(Cursor& cursor) : cursor_(&cursor) {}
  /// A blank for a control character. Outside of texts they are blanks; inside, older profilers forget to escape them.
  char operator*() const {
    const char c = cursor_->current();
    return c > 0 && c < ' ' ? ' ' : c;
  }
  Characters& operator++() {
    cursor_->advance();
    return *this;
  }
  Characters operator++(int) {
    cursor_->advance();
    return *this;
  }
  friend bool operator==(const Characters& a, const Characters& b) {
    return a.cursor_ == b.cursor_ || (b.cursor_ == nullptr ? a.cursor_->at_end() : b.cursor_->at_end());
  }

 private:
  Cursor* cursor_ = nullptr;
};

/// Receives the library's events and keeps the path.
class JsonFollower {
 public:
  JsonFollower(JsonVisitor& visitor, Cursor& cursor) : visitor_(visitor), cursor_(cursor) {}

  bool null() { return pass({}); }
  bool boolean(bool truth) { return pass({JsonScalar::Kind::boolean, truth ? 1.0 : 0.0, {}}); }
  bool number_integer(std::int64_t number) { return token(static_cast<double>(number)); }
  bool number_unsigned(std::uint64_t number) { return token(static_cast<double>(number)); }
  bool number_float(double number, const std::string&) { return token(number); }
  bool string(std::string& text) {
    cursor_.token_ends();
    return pass({JsonScalar::Kind::text, 0, text});
  }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // binary values do not occur in text
  bool start_object(std::size_t) { return open(false); }
  bool start_array(std::size_t) { return open(true); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    cursor_.token_ends();
    path_.to_key(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& failure) {
    // The library writes "[json.exception.parse_error.101] parse error at line 1, column 5: what". Only the last part
    // is kept, because the cursor gives the place.
    std::string_view what = failure.what();
    if (const std::size_t tag = what.find("] "); tag != std::string_view::npos) what.remove_prefix(tag + 2);
    if (const std::size_t place = what.find(": ");
        what.starts_with("parse error at") && place != std::string_view::npos)
      what.remove_prefix(place + 2);
    throw VisitorFailure{std::string(what.substr(0, 200)), {}};
  }

 private:
  bool token(double number) {
    cursor_.token_ends();
    return pass({JsonScalar::Kind::number, number, {}});
  }

  bool pass(const JsonScalar& value) {
    visitor_.scalar(path_, value);
    path_.next();
    return true;
  }

  bool open(bool array) {
    visitor_.begin(path_);
    if (!path_.enter(array))
      throw VisitorFailure{fmt::format("more than {} values within each other", JsonPath::kDeepest), {}};
    return true;
  }

  bool close() {
    path_.leave();
    visitor_.end(path_);
    path_.next();
    return true;
  }

  JsonVisitor& visitor_;
  Cursor& cursor_;
  JsonPath path_;
};

}  // namespace

bool JsonPath::enter(bool array) {
  if (size_ == kDeepest) return false;
  if (size_ == steps_.size()) steps_.emplace_back();
  Step& step = steps_[size_++];
  step.key.clear();
  step.place = 0;
  step.array = array;
  return true;
}

void JsonPath::next() {
  if (size_ > 0 && steps_[size_ - 1].array) ++steps_[size_ - 1].place;
}

std::optional<std::uint64_t> JsonScalar::count() const {
  constexpr double kMost = 0x1p53;
  if (kind == Kind::text) {
    const std::optional<std::int64_t> whole = parse_integer(text);
    if (!whole || *whole < 0 || static_cast<double>(*whole) > kMost) return std::nullopt;
    return static_cast<std::uint64_t>(*whole);
  }
  if (kind != Kind::number || !(number >= 0 && number <= kMost)) return std::nullopt;
  const auto whole = static_cast<std::uint64_t>(number);
  return static_cast<double>(whole) == number ? std::optional(whole) : std::nullopt;
}

std::string JsonScalar::shown() const {
  constexpr std::size_t kMostShown = 80;
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return number != 0 ? "true" : "false";
    case Kind::number:
      return fmt::format("{}", number);
    default:
      return fmt::format("'{}'", printable(text.substr(0, kMostShown)));
  }
}

void JsonVisitor::fail(std::string what, std::string hint) {
  throw VisitorFailure{std::move(what), std::move(hint)};
}

void read_json_events(Input& bytes, JsonVisitor& visitor, JsonValues values) {
  Cursor cursor(bytes);
  const auto skip_blanks = [&] {
    while (!cursor.at_end() && (is_blank(cursor.current()) || cursor.current() == '\n')) cursor.advance();
    return !cursor.at_end();
  };
  try {
    do {
      JsonFollower follower(visitor, cursor);
      nlohmann::json::sax_parse(Characters(cursor), Characters(), &follower, nlohmann::json::input_format_t::json,
                                values == JsonValues::one);
    } while (values == JsonValues::several && skip_blanks());
  } catch (const VisitorFailure& failure) {
    throw Error(ExitStatus::bad_input, {cursor.here(failure.what, failure.hint)});
  }
}

}  // namespace topowise
