// SPDX-License-Identifier: BSD-3-Clause
// MatrixMarket exchange format (Boisvert, Pozo, Remington: "The Matrix Market Exchange Formats: Initial Design", 1996).
#include <fmt/format.h>

#include <topowise/base/text.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

namespace topowise {
namespace {

constexpr std::string_view kBanner = "%%MatrixMarket";

class MarketReader {
 public:
  MarketReader(const std::string& where, std::string_view text) : lines_(where, text), complaints_(lines_) {}

  Traffic read() {
    read_banner();
    std::size_t line = 1;
    while (line < lines_.size() && matrix::is_comment(lines_[line], "%")) ++line;
    read_size(line);
    for (++line; line < lines_.size(); ++line) {
      if (matrix::is_comment(lines_[line], "%")) continue;
      if (taken_ == announced_)
        complaints_.fail(line, {},
                         fmt::format("more than the {} entries that line {} announces", announced_, size_line_ + 1));
      if (coordinate_)
        read_entry(line);
      else
        read_value(line);
      ++taken_;
    }
    if (taken_ != announced_)
      complaints_.add(size_line_, {}, fmt::format("{} entries are announced, but {} are there", announced_, taken_));
    complaints_.throw_if_any();
    return Traffic::from_entries(ranks_, std::move(entries_));
  }

 private:
  void read_banner() {
    if (lines_.size() == 0 || !lines_[0].starts_with(kBanner))
      complaints_.fail(0, {}, fmt::format("no line '{} matrix ...' at the begin", kBanner));
    const std::vector<std::string_view> words = split_blanks(lines_[0]);
    if (words.size() != 5) complaints_.fail(0, {}, "the banner is not '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
    coordinate_ = choose(words[2], {"array", "coordinate"}) == 1;
    pattern_ = choose(words[3], {"real", "integer", "double", "pattern"}) == 3;
    symmetric_ = choose(words[4], {"general", "symmetric"}) == 1;
    if (pattern_ && !coordinate_) complaints_.fail(0, words[3], "an array cannot be a 'pattern'");
  }

  std::size_t choose(std::string_view word, std::initializer_list<std::string_view> known) {
    std::size_t index = 0;
    for (const std::string_view candidate : known) {
      if (lower(word) == candidate) return index;
      ++index;
    }
    complaints_.fail(0, word,
                     fmt::format("'{}' cannot be traffic, only {} can", printable(word), fmt::join(known, ", ")));
  }

  void read_size(std::size_t line) {
    size_line_ = line;
    if (line >= lines_.size()) complaints_.fail(line, {}, "the line with the sizes is missing");
    const std::vector<std::string_view> words = split_blanks(lines_[line]);
    if (words.size() != (coordinate_ ? 3 : 2))
      complaints_.fail(line, {},
                       fmt::format("{} sizes instead of {}", words.size(),
                                   coordinate_ ? "rows, columns, entries" : "rows, columns"));
    const auto rows = matrix::whole_number(complaints_, line, words[0], "a number of ranks", 1, matrix::kMostRanks);
    const auto columns = matrix::whole_number(complaints_, line, words[1], "a number of ranks", 1, matrix::kMostRanks);
    if (rows && columns && *rows != *columns)
      complaints_.add(line, words[1], fmt::format("{} rows and {} columns: traffic is square", *rows, *columns));
    std::optional<std::size_t> entries = 0;
    if (coordinate_)
      entries = matrix::whole_number(complaints_, line, words[2], "a number of entries", 0, std::size_t{1} << 40);
    complaints_.throw_if_any();
    ranks_ = *rows;
    announced_ = coordinate_ ? *entries : symmetric_ ? ranks_ * (ranks_ + 1) / 2 : ranks_ * ranks_;
  }

  void read_entry(std::size_t line) {
    const std::vector<std::string_view> words = split_blanks(lines_[line]);
    if (words.size() != (pattern_ ? 2 : 3))
      return complaints_.add(
          line, {},
          fmt::format("{} numbers instead of {}", words.size(), pattern_ ? "row, column" : "row, column, value"));
    const auto row = matrix::whole_number(complaints_, line, words[0], "a row", 1, ranks_);
    const auto column = matrix::whole_number(complaints_, line, words[1], "a column", 1, ranks_);
    const double bytes = pattern_ ? 1 : matrix::amount(complaints_, line, words[2]);
    if (row && column) add(*row - 1, *column - 1, bytes);
  }

  /// Arrays are written column by column; of a symmetric one only the part from the diagonal down.
  void read_value(std::size_t line) {
    const std::string_view cell = trim(lines_[line]);
    add(row_, column_, matrix::amount(complaints_, line, cell));
    if (++row_ == ranks_) {
      ++column_;
      row_ = symmetric_ ? column_ : 0;
    }
  }

  void add(std::size_t row, std::size_t column, double bytes) {
    if (bytes == 0) return;
    entries_.push_back(matrix::entry(row, column, bytes));
    if (symmetric_ && row != column) entries_.push_back(matrix::entry(column, row, bytes));
  }

  TextLines lines_;
  matrix::Complaints complaints_;
  bool coordinate_ = true;
  bool pattern_ = false;
  bool symmetric_ = false;
  std::size_t size_line_ = 0;
  std::size_t ranks_ = 0;
  std::size_t announced_ = 0;
  std::size_t taken_ = 0;
  std::size_t row_ = 0;  ///< of an array: where the next value belongs
  std::size_t column_ = 0;
  std::vector<TrafficEntry> entries_;
};

}  // namespace

bool looks_like_matrix_market(std::string_view head) {
  return head.starts_with(kBanner);
}

Traffic read_matrix_market(const std::string& where, std::string_view text) {
  return MarketReader(where, text).read();
}

}  // namespace topowise
