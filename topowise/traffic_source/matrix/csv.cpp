// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/text.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

namespace topowise {
namespace {

constexpr std::string_view kComments = "#";

/// The separator is the first of , ; TAB that the first line has.
char separator_of(std::string_view line) {
  for (const char candidate : {',', ';', '\t'})
    if (line.find(candidate) != std::string_view::npos) return candidate;
  return '\0';
}

std::string_view unquoted(std::string_view cell) {
  cell = trim(cell);
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = trim(cell.substr(1, cell.size() - 2));
  return cell;
}

std::vector<std::string_view> cells_of(std::string_view line, char separator) {
  std::vector<std::string_view> cells = split(line, separator);
  for (std::string_view& cell : cells) cell = unquoted(cell);
  // Some writers end every line with a separator.
  if (cells.size() > 1 && cells.back().empty()) cells.pop_back();
  return cells;
}

bool is_list_heading(const std::vector<std::string_view>& cells) {
  return cells.size() >= 3 && cells.size() <= 4 && lower(cells[0]) == "source" && lower(cells[1]) == "destination" &&
         lower(cells[2]) == "bytes" && (cells.size() == 3 || lower(cells[3]) == "messages");
}

class CsvReader {
 public:
  CsvReader(const std::string& where, std::string_view text) : lines_(where, text), complaints_(lines_) {}

  Traffic read() {
    bool first = true;
    bool list = false;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (matrix::is_comment(lines_[i], kComments)) continue;
      if (first) separator_ = separator_of(lines_[i]);
      std::vector<std::string_view> cells = cells_of(lines_[i], separator_);
      if (first && is_list_heading(cells)) {
        list = true;
      } else if (first && cells.size() > 1 && !parse_double(cells.back())) {
        heading_ = cells.size();  // names of the columns, perhaps with an empty cell above the names of the rows
      } else if (list) {
        read_item(i, cells);
      } else {
        read_row(i, std::move(cells));
      }
      first = false;
    }
    if (!list && (rows_ == 0 || rows_ != ranks_))
      complaints_.add(lines_.size(), {},
                      rows_ == 0 ? "no numbers" : fmt::format("the matrix ends after {} of {} rows", rows_, ranks_));
    if (list && ranks_ == 0) complaints_.add(lines_.size(), {}, "the list is empty");
    complaints_.throw_if_any();
    return Traffic::from_entries(ranks_, std::move(entries_));
  }

 private:
  void read_item(std::size_t line, const std::vector<std::string_view>& cells) {
    if (cells.size() < 3 || cells.size() > 4)
      return complaints_.add(line, {}, fmt::format("{} cells instead of source, destination, bytes", cells.size()));
    const auto source = matrix::whole_number(complaints_, line, cells[0], "a rank", 0, matrix::kMostRanks - 1);
    const auto destination = matrix::whole_number(complaints_, line, cells[1], "a rank", 0, matrix::kMostRanks - 1);
    const double bytes = matrix::amount(complaints_, line, cells[2]);
    std::optional<std::size_t> messages = 0;
    if (cells.size() == 4)
      messages = matrix::whole_number(complaints_, line, cells[3], "a count", 0, std::size_t{1} << 53);
    if (!source || !destination || !messages) return;
    entries_.push_back({Rank(*source), Rank(*destination), Bytes(bytes), *messages});
    ranks_ = std::max({ranks_, *source + 1, *destination + 1});
  }

  void read_row(std::size_t line, std::vector<std::string_view> cells) {
    if (rows_ == 0) {
      named_ = cells.size() > 1 && !parse_double(cells.front());
      ranks_ = cells.size() - (named_ ? 1 : 0);
      if (heading_ != 0 && heading_ != ranks_ && !(named_ && heading_ == ranks_ + 1))
        complaints_.add(line, {}, fmt::format("{} numbers under {} column names", ranks_, heading_));
    }
    if (named_) cells.erase(cells.begin());
    if (rows_ == ranks_)
      complaints_.fail(line, {}, fmt::format("row {} of a matrix with {} columns", rows_ + 1, ranks_));
    if (cells.size() != ranks_)
      complaints_.add(line, cells.size() > ranks_ ? cells[ranks_] : std::string_view(),
                      fmt::format("row {} has {} numbers, the first has {}", rows_ + 1, cells.size(), ranks_));
    for (std::size_t column = 0; column < cells.size() && column < ranks_; ++column) {
      const double bytes = matrix::amount(complaints_, line, cells[column]);
      if (bytes > 0) entries_.push_back(matrix::entry(rows_, column, bytes));
    }
    ++rows_;
  }

  TextLines lines_;
  matrix::Complaints complaints_;
  char separator_ = ',';
  std::size_t heading_ = 0;  ///< cells of the line of names, 0 if there is none
  bool named_ = false;       ///< the first column holds names
  std::size_t ranks_ = 0;
  std::size_t rows_ = 0;
  std::vector<TrafficEntry> entries_;
};

}  // namespace

bool looks_like_csv(std::string_view head) {
  if (!matrix::is_text(head)) return false;
  const TextLines lines("", head);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (matrix::is_comment(lines[i], kComments)) continue;
    const char separator = separator_of(lines[i]);
    if (separator == ',' || separator == ';') return true;
    // TABs alone are blanks to the plain text format; with names they are ours.
    return separator == '\t' && !parse_double(cells_of(lines[i], separator).back());
  }
  return false;
}

Traffic read_csv(const std::string& where, std::string_view text) {
  return CsvReader(where, text).read();
}

}  // namespace topowise
