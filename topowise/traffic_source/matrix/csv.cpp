// SPDX-License-Identifier: BSD-3-Clause
// Tables between commas, semicolons or TABs: matrices, and lists of pairs. The first line decides what the table is, by
// its names (csv_names.hpp), or if it has none by the numbers.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/graph/traffic/traffic_builder.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/csv_names.hpp>
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

std::vector<std::string_view> cells_of(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  do cells.push_back(take_cell(line, separator));
  while (!line.empty());
  return cells;
}

std::size_t count_cells(std::string_view line, char separator) {
  std::size_t count = 0;
  do {
    (void)take_cell(line, separator);
    ++count;
  } while (!line.empty());
  return count;
}

/// True also for a number that no double can hold, such as 1e400: it is no name.
bool is_number(std::string_view cell) {
  double value = 0;
  const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return failure == std::errc::result_out_of_range || parse_double(cell).has_value();
}

class CsvReader {
 public:
  CsvReader(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings)
      : text_(text), lines_(where, text), diagnostics_(lines_), warnings_(warnings) {
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (!matrix::is_comment(lines_[i], kComments)) rows_.push_back(i);
  }

  Traffic read() {
    if (rows_.empty()) diagnostics_.fail(lines_.size(), {}, "no numbers");
    separator_ = separator_of(lines_[rows_.front()]);
    const std::vector<std::string_view> first = cells_of(lines_[rows_.front()], separator_);
    if (const std::optional<ListColumns> columns = list_columns(first)) {
      check_heading(*columns);
      const bool unnamed_last = ends_with_separator(rows_.front());
      read_list(*columns, first.size() + (unnamed_last ? 1 : 0), 1);
    } else if (is_list_without_heading(first)) {
      ListColumns usual;
      if (first.size() == 4) usual.messages = 3;
      read_list(usual, first.size(), 0);
    } else {
      read_matrix(first);
    }
    diagnostics_.throw_if_any();
    return std::move(entries_).finish(ranks_);
  }

 private:
  void check_heading(const ListColumns& columns) {
    const std::size_t line = rows_.front();
    if (columns.twice)
      diagnostics_.fail(line, {}, fmt::format("another column has the meaning of '{}', too", printable(*columns.twice)),
                        "leave one out");
    if (!columns.bytes)
      diagnostics_.fail(line, {}, "no column says how many bytes a pair exchanges",
                        "a column called bytes, weight, size or volume");
    if (columns.unused.empty()) return;
    std::string names;
    for (const std::string& name : columns.unused) names += (names.empty() ? "'" : ", '") + printable(name) + "'";
    warnings_.push_back(lines_.at(line, {}, fmt::format("not used: {}", names)));
  }

  /// True for rows of three or four numbers that can only be pairs of ranks with their bytes.
  bool is_list_without_heading(const std::vector<std::string_view>& first) {
    const std::size_t width = first.size();
    if (width < 3 || width > 4) return false;
    bool pairs = true;         // the first two numbers of each row can be two ranks
    bool on_diagonal = false;  // as a matrix, a rank would send to itself
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const std::vector<std::string_view> cells = cells_of(lines_[rows_[row]], separator_);
      if (cells.size() != width || !std::ranges::all_of(cells, is_number)) return false;
      const std::optional<std::int64_t> a = parse_integer(cells[0]);
      const std::optional<std::int64_t> b = parse_integer(cells[1]);
      pairs = pairs && a && b && *a >= 0 && *b >= 0 && *a != *b &&
              std::max(*a, *b) < static_cast<std::int64_t>(matrix::kMostRanks);
      if (!pairs) return false;
      if (row < width) on_diagonal = on_diagonal || parse_double(cells[row]).value_or(0) != 0;
    }
    if (rows_.size() != width && !is_counted_heading(first)) return true;
    if (on_diagonal || rows_.size() != width)
      diagnostics_.fail(rows_.front(), {},
                        fmt::format("{} rows of {} numbers can be a matrix or a list of pairs", rows_.size(), width),
                        "the heading source,destination,bytes makes it a list, names of rows and columns a matrix");
    return false;
  }

  /// True for 0, 1, 2, ... above as many rows: pandas names columns so.
  bool is_counted_heading(const std::vector<std::string_view>& first) const {
    for (std::size_t i = 0; i < first.size(); ++i)
      if (parse_integer(first[i]) != static_cast<std::int64_t>(i)) return false;
    return rows_.size() == first.size() + 1;
  }

  void read_list(const ListColumns& columns, std::size_t width, std::size_t begin) {
    if (rows_.size() == begin) diagnostics_.add(lines_.size(), {}, "the list is empty");
    const std::size_t needed = 1 + std::max({columns.source, columns.destination, columns.bytes.value_or(0)});
    for (std::size_t row = begin; row < rows_.size(); ++row) {
      const std::vector<std::string_view> cells = cells_of(lines_[rows_[row]], separator_);
      if (cells.size() < needed || cells.size() > width)
        diagnostics_.add(rows_[row], {}, fmt::format("{} cells instead of source, destination, bytes", cells.size()));
      else
        read_item(rows_[row], columns, cells);
    }
  }

  void read_item(std::size_t line, const ListColumns& columns, const std::vector<std::string_view>& cells) {
    const std::optional<std::size_t> source = rank(line, cells[columns.source]);
    const std::optional<std::size_t> destination = rank(line, cells[columns.destination]);
    const double bytes = matrix::amount(diagnostics_, line, cells[*columns.bytes]);
    std::optional<std::size_t> messages = 0;
    if (columns.messages && *columns.messages < cells.size())
      messages = matrix::whole_number(diagnostics_, line, cells[*columns.messages], "a count", 0, std::size_t{1} << 53);
    if (!source || !destination || !messages) return;
    entries_.add({Rank(*source), Rank(*destination), Bytes(bytes), *messages});
    ranks_ = std::max({ranks_, *source + 1, *destination + 1});
  }

  std::optional<std::size_t> rank(std::size_t line, std::string_view cell) {
    const std::optional<std::size_t> named = rank_of_name(cell);
    if (named && *named < matrix::kMostRanks) return named;
    return matrix::whole_number(diagnostics_, line, cell, "a rank", 0, matrix::kMostRanks - 1);
  }

  void read_matrix(const std::vector<std::string_view>& first) {
    const std::size_t below = rows_.size() > 1 ? count_cells(lines_[rows_[1]], separator_) : 0;
    const bool blank_corner = first.size() > 1 && first.front().empty();
    // Names of columns, perhaps behind a cell above the names of the rows; also numbers, if the first cell is empty or
    // there is one cell less than below.
    heading_ = first.size() > 1 &&
               (!is_number(first.back()) || blank_corner || first.size() + 1 == below || is_counted_heading(first));
    begin_ = heading_ ? 1 : 0;
    if (rows_.size() == begin_) diagnostics_.fail(lines_.size(), {}, "no numbers");
    const std::vector<std::string_view> second = cells_of(lines_[rows_[begin_]], separator_);
    named_ = second.size() > 1 && (!is_number(second.front()) || (heading_ && names_rows(first, second)));
    width_ = second.size() - (named_ ? 1 : 0);
    std::vector<std::string_view> names;
    if (heading_) names = column_names(first);
    const MatrixRanks ranks = place(names);
    ranks_ = ranks.ranks;
    kept_ = matrix::can_hold(text_.size(), width_ * (rows_.size() - begin_));
    for (std::size_t row = 0; begin_ + row < rows_.size(); ++row) read_row(row, ranks);
  }

  /// Whether a first column of numbers holds the names of the rows.
  bool names_rows(const std::vector<std::string_view>& heading, const std::vector<std::string_view>& row) const {
    if (heading.size() + 1 == row.size()) return true;
    const std::size_t count = rows_.size() - begin_;
    return heading.size() == row.size() && (heading.front().empty() || count + 1 == row.size());
  }

  /// The names of the columns without the cell above those of the rows.
  std::vector<std::string_view> column_names(const std::vector<std::string_view>& heading) {
    std::vector<std::string_view> names = heading;
    if (named_ && heading.size() == width_ + 1) names.erase(names.begin());
    if (names.size() == width_ + 1 && ends_with_separator(rows_[begin_])) ++width_;  // an empty last cell
    if (names.size() != width_)
      diagnostics_.fail(rows_[begin_], {}, fmt::format("{} numbers under {} column names", width_, heading.size()));
    return names;
  }

  bool ends_with_separator(std::size_t line) const {
    const std::string_view text = lines_[line];
    const std::size_t last = text.find_last_not_of(" \r");
    return last != std::string_view::npos && text[last] == separator_;
  }

  MatrixRanks place(const std::vector<std::string_view>& columns) {
    std::vector<std::string_view> names;
    for (std::size_t row = begin_; named_ && row < rows_.size(); ++row) {
      std::string_view rest = lines_[rows_[row]];
      names.push_back(take_cell(rest, separator_));
    }
    const std::size_t count = rows_.size() - begin_;
    if ((names.empty() || columns.empty()) && count != width_) {
      if (count > width_)
        diagnostics_.fail(rows_[begin_ + width_], {},
                          fmt::format("row {} of a matrix with {} columns", width_ + 1, width_));
      for (std::size_t row = 0; row < count; ++row) check_width(row);
      diagnostics_.add(lines_.size(), {}, fmt::format("the matrix ends after {} of {} rows", count, width_));
      diagnostics_.throw_if_any();
    }
    if (names.empty() && columns.empty()) {
      MatrixRanks ranks{std::vector<std::size_t>(width_), std::vector<std::size_t>(width_), width_};
      for (std::size_t i = 0; i < width_; ++i) ranks.rows[i] = ranks.columns[i] = i;
      return ranks;
    }
    std::string why_not;
    std::optional<MatrixRanks> ranks = ranks_of_names(names, columns, why_not);
    if (!ranks)
      diagnostics_.fail(rows_[begin_ - (heading_ ? 1 : 0)], {}, why_not,
                        "call rows and columns 0, 1, 2, ... by their ranks");
    return *std::move(ranks);
  }

  /// Reports a row that has another number of cells than the first; false for such a row.
  bool check_width(std::size_t row) {
    const std::size_t line = rows_[begin_ + row];
    const std::size_t count = count_cells(lines_[line], separator_) - (named_ ? 1 : 0);
    if (count == width_ || (count + 1 == width_ && heading_ && named_ && ends_with_separator(line))) return true;
    std::string_view rest = lines_[line];
    std::string_view cell;
    for (std::size_t i = 0; count > width_ && i <= width_ + (named_ ? 1 : 0); ++i) cell = take_cell(rest, separator_);
    diagnostics_.add(line, cell, fmt::format("row {} has {} numbers, the first has {}", row + 1, count, width_));
    return count > width_;
  }

  void read_row(std::size_t row, const MatrixRanks& ranks) {
    const std::size_t line = rows_[begin_ + row];
    (void)check_width(row);
    std::string_view rest = lines_[line];
    if (named_) (void)take_cell(rest, separator_);
    for (std::size_t column = 0; column < width_ && !rest.empty(); ++column) {
      const std::string_view cell = take_cell(rest, separator_);
      if (cell.empty() && heading_ && named_) continue;  // pandas writes nothing where there is no number
      const double bytes = matrix::amount(diagnostics_, line, cell);
      if (bytes > 0 && kept_) entries_.add(matrix::entry(ranks.rows[row], ranks.columns[column], bytes));
    }
  }

  std::string_view text_;
  TextLines lines_;
  matrix::TextDiagnostics diagnostics_;
  std::vector<Diagnostic>& warnings_;
  std::vector<std::size_t> rows_;  ///< lines that are no comments
  char separator_ = ',';
  bool heading_ = false;   ///< the first row holds names
  bool named_ = false;     ///< the first column holds names
  bool kept_ = false;      ///< false for a text that cannot hold all rows
  std::size_t begin_ = 0;  ///< the first row of numbers
  std::size_t width_ = 0;  ///< numbers of a row
  std::size_t ranks_ = 0;
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
    return separator == '\t' && !is_number(cells_of(lines[i], separator).back());
  }
  return false;
}

Traffic read_csv(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings) {
  return CsvReader(where, text, warnings).read();
}

}  // namespace topowise
