// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/text.hpp>
#include <topowise/graph/traffic/traffic_builder.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

namespace topowise {
namespace {

constexpr std::string_view kComments = "#";

/// The first of , ; TAB that the first line contains.
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

/// The next cell of a line. Some writers end every line with a separator, after which no cell begins.
std::string_view take_cell(std::string_view& line, char separator) {
  return unquoted(take_part(line, separator));
}

/// The number of cells of a line, its first cells and its last one.
struct Cells {
  static constexpr std::size_t kFirst = 5;
  std::vector<std::string_view> first;
  std::string_view last;
  std::size_t count = 0;
};

Cells look_at(std::string_view line, char separator) {
  Cells cells;
  do {
    cells.last = take_cell(line, separator);
    if (cells.count++ < Cells::kFirst) cells.first.push_back(cells.last);
  } while (!line.empty());
  return cells;
}

bool is_list_heading(const Cells& cells) {
  return cells.count >= 3 && cells.count <= 4 && lower(cells.first[0]) == "source" &&
         lower(cells.first[1]) == "destination" && lower(cells.first[2]) == "bytes" &&
         (cells.count == 3 || lower(cells.first[3]) == "messages");
}

class CsvReader {
 public:
  CsvReader(const std::string& where, std::string_view text) : text_(text), lines_(where, text), diagnostics_(lines_) {}

  Traffic read() {
    bool first = true;
    bool list = false;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (matrix::is_comment(lines_[i], kComments)) continue;
      if (first) separator_ = separator_of(lines_[i]);
      const Cells cells = look_at(lines_[i], separator_);
      if (first && is_list_heading(cells)) {
        list = true;
      } else if (first && cells.count > 1 && !parse_double(cells.last)) {
        heading_ = cells.count;  // the names of the columns, perhaps after an empty cell above the names of the rows
      } else if (list) {
        read_item(i, cells);
      } else {
        read_row(i, cells);
      }
      first = false;
    }
    if (!list && (rows_ == 0 || rows_ != ranks_))
      diagnostics_.add(lines_.size(), {},
                       rows_ == 0 ? "no numbers" : fmt::format("the matrix ends after {} of {} rows", rows_, ranks_));
    if (list && ranks_ == 0) diagnostics_.add(lines_.size(), {}, "the list is empty");
    diagnostics_.throw_if_any();
    return std::move(entries_).finish(ranks_);
  }

 private:
  void read_item(std::size_t line, const Cells& cells) {
    if (cells.count < 3 || cells.count > 4)
      return diagnostics_.add(line, {}, fmt::format("{} cells instead of source, destination, bytes", cells.count));
    const auto source = matrix::whole_number(diagnostics_, line, cells.first[0], "a rank", 0, matrix::kMostRanks - 1);
    const auto destination =
        matrix::whole_number(diagnostics_, line, cells.first[1], "a rank", 0, matrix::kMostRanks - 1);
    const double bytes = matrix::amount(diagnostics_, line, cells.first[2]);
    std::optional<std::size_t> messages = 0;
    if (cells.count == 4)
      messages = matrix::whole_number(diagnostics_, line, cells.first[3], "a count", 0, std::size_t{1} << 53);
    if (!source || !destination || !messages) return;
    entries_.add({Rank(*source), Rank(*destination), Bytes(bytes), *messages});
    ranks_ = std::max({ranks_, *source + 1, *destination + 1});
  }

  /// Takes the size of the matrix from its first row.
  void begin_rows(std::size_t line, const Cells& cells) {
    named_ = cells.count > 1 && !parse_double(cells.first.front());
    ranks_ = cells.count - (named_ ? 1 : 0);
    if (heading_ != 0 && heading_ != ranks_ && !(named_ && heading_ == ranks_ + 1))
      diagnostics_.add(line, {}, fmt::format("{} numbers under {} column names", ranks_, heading_));
    kept_ = matrix::can_hold(text_.size(), ranks_ * ranks_);
  }

  void read_row(std::size_t line, const Cells& cells) {
    if (rows_ == 0) begin_rows(line, cells);
    const std::size_t count = cells.count - (named_ ? 1 : 0);
    if (rows_ == ranks_)
      diagnostics_.fail(line, {}, fmt::format("row {} of a matrix with {} columns", rows_ + 1, ranks_));
    const auto report = [&](std::string_view cell) {
      diagnostics_.add(line, cell, fmt::format("row {} has {} numbers, the first has {}", rows_ + 1, count, ranks_));
    };
    if (count < ranks_) report({});
    std::string_view rest = lines_[line];
    if (named_) (void)take_cell(rest, separator_);
    for (std::size_t column = 0; column < count; ++column) {
      const std::string_view cell = take_cell(rest, separator_);
      if (column == ranks_) {
        report(cell);
        break;
      }
      const double bytes = matrix::amount(diagnostics_, line, cell);
      if (bytes > 0 && kept_) entries_.add(matrix::entry(rows_, column, bytes));
    }
    ++rows_;
  }

  std::string_view text_;
  TextLines lines_;
  matrix::TextDiagnostics diagnostics_;
  char separator_ = ',';
  std::size_t heading_ = 0;  ///< cells of the line of names, 0 if there is none
  bool named_ = false;       ///< the first column holds names
  bool kept_ = false;        ///< false for a text that cannot hold all rows
  std::size_t ranks_ = 0;
  std::size_t rows_ = 0;
  TrafficBuilder entries_;
};

}  // namespace

bool looks_like_csv(std::string_view head) {
  if (!matrix::is_text(head)) return false;
  const TextLines lines("", head);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (matrix::is_comment(lines[i], kComments)) continue;
    const char separator = separator_of(lines[i]);
    if (separator == ',' || separator == ';') return true;
    // The plain text format takes TABs for blanks. With names they belong to this format.
    return separator == '\t' && !parse_double(look_at(lines[i], separator).last);
  }
  return false;
}

Traffic read_csv(const std::string& where, std::string_view text) {
  return CsvReader(where, text).read();
}

}  // namespace topowise
