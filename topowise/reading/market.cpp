// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/market.hpp>

#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/reading/matrix_reading.hpp>

namespace topowise::matrix {
namespace {

constexpr std::string_view kBanner = "%%MatrixMarket";

bool has_banner(std::string_view head) {
  return lower(head.substr(0, kBanner.size())) == lower(kBanner);
}

class MarketReader {
 public:
  MarketReader(const TextLines& lines, const MarketLimits& limits, const MarketEntry& entry)
      : lines_(lines), limits_(limits), entry_(entry), diagnostics_(lines) {}

  /// Reads up to the line of the sizes, and gives its number.
  std::size_t read_head() {
    read_banner();
    std::size_t line = 1;
    while (line < lines_.size() && skip_comment(line)) ++line;
    read_size(line);
    return line;
  }

  [[nodiscard]] std::size_t rows() const { return facts_.rows; }

  MarketFacts read() {
    for (std::size_t line = read_head() + 1; line < lines_.size(); ++line) {
      if (skip_comment(line)) continue;
      if (coordinate_) {
        read_entry(line);
        continue;
      }
      std::string_view rest = lines_[line];
      for (std::string_view cell = take_word(rest); !cell.empty(); cell = take_word(rest)) read_value(line, cell);
    }
    if (taken_ != announced_)
      diagnostics_.add(facts_.size_line, {},
                       fmt::format("{} entries are announced, but {} are there", announced_, taken_));
    diagnostics_.throw_if_any();
    return std::move(facts_);
  }

 private:
  bool skip_comment(std::size_t line) {
    if (!is_comment(lines_[line], "%")) return false;
    const std::string_view text = trim(lines_[line]);
    constexpr std::size_t kEnough = 65536;
    if (!text.empty() && facts_.comments.size() < kEnough) facts_.comments.append(text.substr(1, kEnough)).append(" ");
    return true;
  }

  void read_banner() {
    if (lines_.size() == 0 || !is_market(lines_[0]))
      diagnostics_.fail(0, {}, fmt::format("no line '{} matrix ...' at the begin", kBanner));
    if (!has_banner(lines_[0])) diagnostics_.fail(0, {}, fmt::format("the banner '{}' begins with two '%'", kBanner));
    const std::vector<std::string_view> words = split_blanks(lines_[0], 6);
    if (words.size() != 5) diagnostics_.fail(0, {}, "the banner is not '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
    choose(words[1], {"matrix"});
    coordinate_ = choose(words[2], {"array", "coordinate"}) == 1;
    pattern_ = limits_.pattern_allowed ? choose(words[3], {"real", "integer", "double", "pattern"}) == 3
                                       : choose(words[3], {"real", "integer", "double"}) == 3;
    symmetric_ = choose(words[4], {"general", "symmetric"}) == 1;
    if (pattern_ && !coordinate_) diagnostics_.fail(0, words[3], "an array cannot be a 'pattern'");
  }

  std::size_t choose(std::string_view word, std::initializer_list<std::string_view> known) {
    std::size_t index = 0;
    for (const std::string_view candidate : known) {
      if (lower(word) == candidate) return index;
      ++index;
    }
    diagnostics_.fail(0, word,
                      fmt::format("'{}' is not read, only {}", printable(word.substr(0, 80)), fmt::join(known, ", ")));
  }

  void read_size(std::size_t line) {
    facts_.size_line = line;
    if (line >= lines_.size()) diagnostics_.fail(line, {}, "the line with the sizes is missing");
    const std::vector<std::string_view> words = split_blanks(lines_[line], 4);
    if (words.size() != (coordinate_ ? 3 : 2))
      diagnostics_.fail(line, {},
                        fmt::format("{} sizes instead of {}", count_words(lines_[line]),
                                    coordinate_ ? "rows, columns, entries" : "rows, columns"));
    const std::string what = fmt::format("a number of {}", limits_.count_of);
    const auto rows = whole_number(diagnostics_, line, words[0], what, 1, limits_.most);
    const auto columns = whole_number(diagnostics_, line, words[1], what, 1, limits_.most);
    if (rows && columns && *rows != *columns)
      diagnostics_.add(line, words[1], fmt::format("{} rows and {} columns are no square matrix", *rows, *columns));
    std::optional<std::size_t> entries = 0;
    if (coordinate_)
      entries = whole_number(diagnostics_, line, words[2], "a number of entries", 0, std::size_t{1} << 40);
    diagnostics_.throw_if_any();
    facts_.rows = *rows;
    announced_ = coordinate_ ? *entries : symmetric_ ? *rows * (*rows + 1) / 2 : *rows * *rows;
  }

  void count_entry(std::size_t line) {
    if (taken_++ < announced_) return;
    diagnostics_.fail(line, {},
                      fmt::format("more than the {} entries that line {} announces", announced_, facts_.size_line + 1));
  }

  void read_entry(std::size_t line) {
    count_entry(line);
    const std::vector<std::string_view> words = split_blanks(lines_[line], 4);
    if (words.size() != (pattern_ ? 2 : 3))
      return diagnostics_.add(line, {},
                              fmt::format("{} numbers instead of {}", count_words(lines_[line]),
                                          pattern_ ? "row, column" : "row, column, value"));
    const auto row = whole_number(diagnostics_, line, words[0], "a row", 1, facts_.rows);
    const auto column = whole_number(diagnostics_, line, words[1], "a column", 1, facts_.rows);
    const double value = pattern_ ? 1 : amount(diagnostics_, line, words[2]);
    if (row && column) pass_on(*row - 1, *column - 1, value);
  }

  /// A symmetric array has only the part from the diagonal down.
  void read_value(std::size_t line, std::string_view cell) {
    count_entry(line);
    pass_on(row_, column_, amount(diagnostics_, line, cell));
    if (++row_ < facts_.rows) return;
    ++column_;
    row_ = symmetric_ ? column_ : 0;
  }

  void pass_on(std::size_t row, std::size_t column, double value) {
    entry_(row, column, value);
    if (symmetric_ && row != column) entry_(column, row, value);
  }

  const TextLines& lines_;
  const MarketLimits& limits_;
  const MarketEntry& entry_;
  TextDiagnostics diagnostics_;
  MarketFacts facts_;
  bool coordinate_ = true;
  bool pattern_ = false;
  bool symmetric_ = false;
  std::size_t announced_ = 0;
  std::size_t taken_ = 0;
  std::size_t row_ = 0;  ///< row of an array at which the next value belongs
  std::size_t column_ = 0;
};

}  // namespace

bool is_market(std::string_view head) {
  const std::string_view half = kBanner.substr(1);
  return has_banner(head) || lower(head.substr(0, half.size())) == lower(half);
}

MarketFacts read_market(const TextLines& lines, const MarketLimits& limits, const MarketEntry& entry) {
  return MarketReader(lines, limits, entry).read();
}

std::size_t market_rows(const TextLines& lines, const MarketLimits& limits) {
  MarketReader reader(lines, limits, {});
  (void)reader.read_head();
  return reader.rows();
}

}  // namespace topowise::matrix
