// SPDX-License-Identifier: BSD-3-Clause
// Tables between commas, semicolons, TABs or blanks: matrices, and lists of pairs. The first line decides what the
// table is, by its names, or if it has none by the numbers.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <topowise/base/input.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/traffic/traffic_builder.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>
#include <topowise/traffic_source/matrix/metis_header.hpp>
#include <topowise/traffic_source/matrix/table_names.hpp>

namespace topowise {
namespace {

using matrix::ListColumns;
using matrix::MatrixRanks;

constexpr std::string_view kComments = "#%";
constexpr char kBlank = ' ';  ///< cells between any number of blanks

/// What stands between the cells of a line: a semicolon or a TAB, as commas may be in numbers then; else a comma, else
/// a blank. A TAB behind a comma is a blank.
char separator_of(std::string_view line) {
  bool quoted = false;
  bool comma = false;
  bool tab = false;
  char before = ' ';
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ';') return ';';
    comma = comma || c == ',';
    tab = tab || (c == '\t' && before != ',');
    if (c != ' ') before = c;
  }
  return tab ? '\t' : comma ? ',' : kBlank;
}

/// The separator that the first line of a table of Excel may state: "sep=;".
std::optional<char> stated_separator(std::string_view line) {
  const std::string text = lower(trim(line));
  return text.size() == 5 && text.starts_with("sep=") ? std::optional(text[4]) : std::nullopt;
}

std::string_view unquoted(std::string_view cell) {
  cell = trim(cell);
  for (const char mark : {'"', '\''})
    if (cell.size() >= 2 && cell.front() == mark && cell.back() == mark) return trim(cell.substr(1, cell.size() - 2));
  return cell;
}

/// The next cell of a line. Some writers end every line with a separator, after which no cell begins. A separator
/// between quotes belongs to the cell.
std::string_view take_cell(std::string_view& line, char separator) {
  if (separator == kBlank) {
    const std::string_view cell = unquoted(take_word(line));
    line = trim(line);
    return cell;
  }
  std::size_t end = line.find_first_not_of(' ');
  end = end != std::string_view::npos && line[end] == '"' ? line.find('"', end + 1) : 0;
  end = std::min(line.find(separator, end == std::string_view::npos ? 0 : end), line.size());
  const std::string_view cell = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return unquoted(cell);
}

std::vector<std::string_view> cells_of(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  do cells.push_back(take_cell(line, separator));
  while (!line.empty());
  return cells;
}

/// The first and the last cell of a line, and how many there are.
struct Shape {
  std::string_view first;
  std::string_view last;
  std::size_t count = 0;
};

Shape shape_of(std::string_view line, char separator) {
  Shape shape;
  do {
    shape.last = take_cell(line, separator);
    if (shape.count++ == 0) shape.first = shape.last;
  } while (!line.empty());
  return shape;
}

/// True also for a number that no double can hold, such as 1e400: it is no name.
bool is_number(std::string_view cell) {
  double value = 0;
  const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return failure == std::errc::result_out_of_range || parse_double(cell).has_value();
}

/// True for a row of numbers of which the first two are different ranks.
bool is_pair(const std::vector<std::string_view>& cells) {
  const std::optional<std::int64_t> a = parse_integer(cells[0]);
  const std::optional<std::int64_t> b = parse_integer(cells[1]);
  return a && b && *a >= 0 && *b >= 0 && *a != *b && std::max(*a, *b) < static_cast<std::int64_t>(matrix::kMostRanks) &&
         std::ranges::all_of(cells, is_number);
}

/// Numbers in a table between semicolons or TABs may have a comma before their decimals.
class Decimals {
 public:
  /// The cell with a point in place of the comma; the cell itself if it has none. `kept` is what the answer points to.
  std::string_view with_point(std::string_view cell, char separator, std::string& kept) {
    const std::size_t mark = cell.find_first_of(",.");
    if (mark == std::string_view::npos || separator == ',' || separator == kBlank) return cell;
    const std::size_t digits = std::min(cell.find_first_not_of("0123456789", mark + 1), cell.size()) - mark - 1;
    const bool whole = cell.find_first_not_of("0123456789.,") == std::string_view::npos;
    (whole && digits == 3 && mark > 0 && mark <= 3 && cell.front() != '0' ? may_be_thousands_ : are_decimals_) = true;
    if (cell[mark] == '.') return cell;
    kept = cell;
    kept[mark] = '.';
    return kept;
  }
  /// True if all numbers with a comma or point have three digits behind it, and so may be whole numbers.
  [[nodiscard]] bool are_ambiguous() const { return may_be_thousands_ && !are_decimals_; }

 private:
  bool may_be_thousands_ = false;
  bool are_decimals_ = false;
};

/// Reads row by row: a text may have a row of a hundred million cells, or as many rows.
class CsvReader {
 public:
  CsvReader(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings)
      : text_(text), lines_(where, text), diagnostics_(lines_), warnings_(warnings), first_(next_row(0)) {
    if (first_ < lines_.size()) stated_ = stated_separator(lines_[first_]);
    if (stated_) first_ = next_row(first_ + 1);
    for (std::size_t line = first_; line < lines_.size(); line = next_row(line + 1)) ++count_;
  }

  Traffic read() {
    if (count_ == 0) diagnostics_.fail(lines_.size(), {}, "no numbers");
    separator_ = stated_ ? *stated_ : separator_of(lines_[first_]);
    const Shape shape = shape_of(lines_[first_], separator_);
    std::optional<ListColumns> columns =
        shape.count <= kMostOfList ? matrix::list_columns(cells_of(lines_[first_], separator_)) : std::nullopt;
    if (columns) {
      if (columns->type) settle_type(*columns);
      check_heading(*columns);
      read_list(*columns, shape.count + (ends_with_separator(first_) ? 1 : 0), next_row(first_ + 1));
    } else if (is_list_without_heading(shape.count)) {
      ListColumns usual;
      if (shape.count == 4) usual.messages = 3;
      if (separator_ == kBlank || separator_ == '\t')
        warnings_.push_back(
            lines_.at(first_, {},
                      fmt::format("rows of {} numbers, which are no square matrix, are taken as source, "
                                  "destination, bytes{}",
                                  shape.count, shape.count == 4 ? ", messages" : ""),
                      "a first line 'source destination bytes' says so"));
      read_list(usual, shape.count, first_);
    } else {
      read_matrix(shape);
    }
    diagnostics_.throw_if_any();
    if (decimals_.are_ambiguous())
      diagnostics_.fail(first_, {}, "its numbers have three digits behind a comma or point: thousands, or decimals",
                        "write whole numbers without separators");
    return std::move(entries_).finish(ranks_);
  }

 private:
  static constexpr std::size_t kMostOfList = 64;  ///< columns of a list of pairs
  static constexpr std::size_t kShort = 4096;     ///< names of a side of which the other may have any number

  /// The first line from `line` on that is no comment; the number of lines at the end.
  [[nodiscard]] std::size_t next_row(std::size_t line) const {
    while (line < lines_.size() && matrix::is_comment(lines_[line], kComments)) ++line;
    return line;
  }

  /// A column "type" that does not say of the first edge whether it is directed says something else.
  void settle_type(ListColumns& columns) {
    const std::size_t line = next_row(first_ + 1);
    if (line >= lines_.size()) return;
    const std::vector<std::string_view> cells = cells_of(lines_[line], separator_);
    const std::string type = *columns.type < cells.size() ? lower(cells[*columns.type]) : "";
    if (type == "directed" || type == "undirected") return;
    columns.unused.emplace_back("type");
    columns.type.reset();
  }

  void check_heading(const ListColumns& columns) {
    const std::size_t line = first_;
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
  bool is_list_without_heading(std::size_t width) {
    if (width < 3 || width > 4) return false;
    bool on_diagonal = false;  // as a matrix, a rank would send to itself
    std::size_t row = 0;
    for (std::size_t line = first_; line < lines_.size(); line = next_row(line + 1), ++row) {
      const std::vector<std::string_view> cells = cells_of(lines_[line], separator_);
      if (cells.size() != width || !is_pair(cells)) return false;
      if (row < width) on_diagonal = on_diagonal || parse_double(cells[row]).value_or(0) != 0;
    }
    if (count_ != width && !is_counted_heading(width)) return true;
    if (on_diagonal || count_ != width)
      diagnostics_.fail(
          first_, {}, fmt::format("{} rows of {} numbers can be a matrix or a list of pairs", count_, width),
          separator_ == kBlank || separator_ == '\t'
              ? "the heading 'source destination bytes' makes it a list, --format matrix a matrix"
              : "the heading source,destination,bytes makes it a list, names of rows and columns a matrix");
    return false;
  }

  /// True for 0, 1, 2, ... above as many rows: pandas names columns so.
  bool is_counted_heading(std::size_t width) const {
    if (count_ != width + 1) return false;
    std::string_view rest = lines_[first_];
    for (std::size_t i = 0; i < width; ++i)
      if (parse_integer(take_cell(rest, separator_)) != static_cast<std::int64_t>(i)) return false;
    return true;
  }

  void read_list(const ListColumns& columns, std::size_t width, std::size_t begin) {
    if (begin == lines_.size()) diagnostics_.add(lines_.size(), {}, "the list is empty");
    const std::size_t needed = 1 + std::max({columns.source, columns.destination, columns.bytes.value_or(0)});
    for (std::size_t line = begin; line < lines_.size(); line = next_row(line + 1)) {
      const std::size_t count = shape_of(lines_[line], separator_).count;
      if (count < needed || count > width)
        diagnostics_.add(line, {}, fmt::format("{} cells instead of source, destination, bytes", count));
      else
        read_item(line, columns, cells_of(lines_[line], separator_));
    }
    check_first_rank();
  }

  void read_item(std::size_t line, const ListColumns& columns, const std::vector<std::string_view>& cells) {
    const std::optional<std::size_t> source = rank(line, cells[columns.source]);
    const std::optional<std::size_t> destination = rank(line, cells[columns.destination]);
    const double bytes = amount(line, cells[*columns.bytes]);
    std::optional<std::size_t> messages = 0;
    if (columns.messages && *columns.messages < cells.size())
      messages = matrix::whole_number(diagnostics_, line, cells[*columns.messages], "a count", 0, std::size_t{1} << 53);
    if (!source || !destination || !messages) return;
    entries_.add({Rank(*source), Rank(*destination), Bytes(bytes), *messages});
    if (columns.type && *columns.type < cells.size() && lower(cells[*columns.type]) == "undirected")
      entries_.add({Rank(*destination), Rank(*source), Bytes(bytes), *messages});
    ranks_ = std::max({ranks_, *source + 1, *destination + 1});
    if (seen_.size() < ranks_) seen_.resize(ranks_);
    seen_[*source] = seen_[*destination] = true;
  }

  double amount(std::size_t line, std::string_view cell) {
    std::string kept;
    return matrix::amount(diagnostics_, line, decimals_.with_point(cell, separator_, kept));
  }

  /// Warns if the ranks of a list may be counted from 1. Those that `traffic --save` writes, as its heading shows, are
  /// not.
  void check_first_rank() {
    if (lines_[first_] == "source,destination,bytes,messages") return;
    if (ranks_ < 3 || seen_[0] || std::ranges::count(seen_, true) + 1 != static_cast<std::ptrdiff_t>(ranks_)) return;
    warnings_.push_back(lines_.at(
        first_, {},
        fmt::format("its ranks are 1 to {}, without 0: they are taken as those of a job of {}", ranks_ - 1, ranks_),
        "if they count from 1, subtract 1"));
  }

  std::optional<std::size_t> rank(std::size_t line, std::string_view cell) {
    const std::optional<std::size_t> named = matrix::rank_of_name(cell);
    if (named && *named < matrix::kMostRanks) return named;
    return matrix::whole_number(diagnostics_, line, cell, "a rank", 0, matrix::kMostRanks - 1);
  }

  void read_matrix(const Shape& first) {
    const std::size_t second = next_row(first_ + 1);
    const std::size_t below = second < lines_.size() ? shape_of(lines_[second], separator_).count : 0;
    const bool blank_corner = first.count > 1 && first.first.empty();
    // Names of columns, perhaps behind a cell above the names of the rows; also numbers, if the first cell is empty or
    // there is one cell less than below.
    heading_ =
        first.count > 1 && (!is_value(first.last) || blank_corner || first.count + 1 == below ||
                            is_counted_heading(first.count) || (!is_value(first.first) && count_ == first.count));
    begin_ = heading_ ? second : first_;
    rows_ = count_ - (heading_ ? 1 : 0);
    if (rows_ == 0) diagnostics_.fail(lines_.size(), {}, "no numbers");
    Shape row = shape_of(lines_[begin_], separator_);
    if (heading_ && row.count + 1 == first.count && ends_with_separator(begin_)) ++row.count;  // an empty last cell
    named_ = row.count > 1 && (!is_value(row.first) || (heading_ && names_rows(first, row.count)));
    width_ = row.count - (named_ ? 1 : 0);
    if (heading_) check_heading(first.count);
    check_rows();
    const MatrixRanks ranks = place();
    ranks_ = ranks.ranks;
    kept_ = matrix::can_hold(text_.size(), width_ * rows_);
    std::size_t number = 0;
    for (std::size_t line = begin_; line < lines_.size(); line = next_row(line + 1)) read_row(line, number++, ranks);
    check_triangles();
  }

  /// Refuses a half of a symmetric matrix that leaves the other half blank, and warns if there are only zeros.
  void check_triangles() {
    if (rows_ != width_ || rows_ < 3) return;
    const std::size_t all = rows_ * (rows_ - 1) / 2;
    for (const auto& [one, other] : {std::pair(above_, below_), std::pair(below_, above_)}) {
      if (one.sent != all || other.sent != 0) continue;
      const std::string_view side = one.above ? "below" : "above";
      if (other.blank == all)
        diagnostics_.fail(
            begin_, {},
            fmt::format("all cells {} the diagonal are blank: nothing is sent, or the matrix is symmetric", side),
            "write both halves, or zeros");
      warnings_.push_back(lines_.at(
          begin_, {}, fmt::format("all numbers {} the diagonal are 0: nothing is taken to be sent there", side),
          "of a symmetric matrix both halves are needed"));
    }
  }

  /// True for a number, also with a comma where that can be no separator.
  [[nodiscard]] bool is_value(std::string_view cell) const {
    const std::size_t comma = separator_ == ';' || separator_ == '\t' ? cell.find(',') : std::string_view::npos;
    if (comma == std::string_view::npos) return is_number(cell);
    std::string text(cell);
    text[comma] = '.';
    return is_number(text);
  }

  /// Whether a first column of numbers holds the names of the rows.
  [[nodiscard]] bool names_rows(const Shape& heading, std::size_t cells) const {
    return heading.count + 1 == cells || (heading.count == cells && (heading.first.empty() || rows_ + 1 == cells));
  }

  /// Checks that the heading has as many names as a row has numbers, perhaps with a cell above the names of the rows.
  void check_heading(std::size_t cells) {
    corner_ = named_ && cells == width_ + 1;
    const std::size_t names = cells - (corner_ ? 1 : 0);
    if (names == width_ + 1 && ends_with_separator(begin_)) ++width_;  // an empty last cell
    if (names != width_)
      diagnostics_.fail(begin_, {},
                        fmt::format("{} number{} under {} column names", width_, width_ == 1 ? "" : "s", cells));
  }

  /// Checks that there are as many rows as columns, unless both have names; and that the names fit into memory.
  void check_rows() {
    if (rows_ == width_) return;
    const bool both_named = named_ && heading_;
    if (both_named && std::max(rows_, width_) <= std::max(kShort, 4 * std::min(rows_, width_))) return;
    if (rows_ > width_) {
      std::size_t line = begin_;
      for (std::size_t row = 0; row < width_; ++row) line = next_row(line + 1);
      diagnostics_.fail(line, {}, fmt::format("row {} of a matrix with {} columns", width_ + 1, width_));
    }
    std::size_t number = 0;
    for (std::size_t line = begin_; line < lines_.size(); line = next_row(line + 1)) check_width(line, number++);
    diagnostics_.add(lines_.size(), {}, fmt::format("the matrix ends after {} of {} rows", rows_, width_));
    diagnostics_.throw_if_any();
  }

  [[nodiscard]] bool ends_with_separator(std::size_t line) const {
    const std::string_view text = lines_[line];
    const std::size_t last = text.find_last_not_of(" \r");
    return last != std::string_view::npos && text[last] == separator_;
  }

  MatrixRanks place() {
    std::vector<std::string_view> rows;
    for (std::size_t line = begin_; named_ && line < lines_.size(); line = next_row(line + 1)) {
      std::string_view rest = lines_[line];
      rows.push_back(take_cell(rest, separator_));
    }
    std::vector<std::string_view> columns;
    if (heading_) columns = cells_of(lines_[first_], separator_);
    if (corner_) {
      rows_receive_ = matrix::are_rows_receivers(columns.front());
      columns.erase(columns.begin());
    }
    if (!named_ && !heading_) {
      MatrixRanks ranks{std::vector<std::size_t>(width_), {}, width_};
      for (std::size_t i = 0; i < width_; ++i) ranks.rows[i] = i;
      ranks.columns = ranks.rows;
      return ranks;
    }
    std::string why_not;
    std::optional<MatrixRanks> ranks = matrix::ranks_of_names(rows, columns, why_not);
    if (!ranks) diagnostics_.fail(first_, {}, why_not, "call rows and columns 0, 1, 2, ... by their ranks");
    return *std::move(ranks);
  }

  /// Reports row `row` if it has another number of cells than the first.
  void check_width(std::size_t line, std::size_t row) {
    const std::size_t count = shape_of(lines_[line], separator_).count - (named_ ? 1 : 0);
    if (count == width_ || (count + 1 == width_ && heading_ && named_ && ends_with_separator(line))) return;
    std::string_view rest = lines_[line];
    std::string_view cell;
    for (std::size_t i = 0; count > width_ && i <= width_ + (named_ ? 1 : 0); ++i) cell = take_cell(rest, separator_);
    diagnostics_.add(line, cell, fmt::format("row {} has {} numbers, the first has {}", row + 1, count, width_));
  }

  void read_row(std::size_t line, std::size_t row, const MatrixRanks& ranks) {
    check_width(line, row);
    std::string_view rest = lines_[line];
    if (named_) (void)take_cell(rest, separator_);
    for (std::size_t column = 0; column < width_; ++column) {
      if (rest.empty() && !(heading_ && named_)) break;
      const std::string_view cell = rest.empty() ? rest : take_cell(rest, separator_);
      Triangle& side = row < column ? above_ : below_;
      if (cell.empty() && heading_ && named_) {  // pandas writes nothing where there is no number
        side.blank += row == column ? 0 : 1;
        continue;
      }
      const double bytes = amount(line, cell);
      if (bytes <= 0) continue;
      side.sent += row == column ? 0 : 1;
      const std::size_t from = rows_receive_ ? ranks.columns[column] : ranks.rows[row];
      if (kept_) entries_.add(matrix::entry(from, rows_receive_ ? ranks.rows[row] : ranks.columns[column], bytes));
    }
  }

  std::string_view text_;
  TextLines lines_;
  matrix::TextDiagnostics diagnostics_;
  std::vector<Diagnostic>& warnings_;
  std::size_t first_;      ///< the first line that is no comment
  std::size_t count_ = 0;  ///< how many lines are none
  char separator_ = ',';
  std::optional<char> stated_;  ///< the separator, if the first line of the text states it
  Decimals decimals_;
  bool heading_ = false;   ///< the first row holds names
  bool named_ = false;     ///< the first column holds names
  bool corner_ = false;    ///< a cell is above the names of the rows
  bool kept_ = false;      ///< false for a text that cannot hold all rows
  std::size_t begin_ = 0;  ///< the line of the first row of numbers
  std::size_t rows_ = 0;   ///< of numbers
  std::size_t width_ = 0;  ///< numbers of a row
  /// Cells of a matrix on one side of its diagonal.
  struct Triangle {
    bool above = false;
    std::size_t sent = 0;   ///< numbers above 0
    std::size_t blank = 0;  ///< cells without a number
  };
  Triangle above_{.above = true};
  Triangle below_;
  bool rows_receive_ = false;  ///< a row of a matrix is what a rank receives
  std::vector<bool> seen_;     ///< by rank: a list names it
  std::size_t ranks_ = 0;
  TrafficBuilder entries_;
};

}  // namespace

namespace {

/// True for a list of pairs between blanks: with a heading, or rows of three or four numbers that are neither a square
/// matrix nor a graph of METIS. True also for such a square with something on its diagonal, which read_csv() refuses.
bool is_list_between_blanks(std::string_view head) {
  const TextLines lines("", head);
  const bool is_cut = head.size() >= Input::kHead;  // then the last line may be, too
  std::vector<std::string_view> first;
  std::size_t rows = 0;
  bool on_diagonal = false;
  for (std::size_t i = 0; i + (is_cut ? 1 : 0) < lines.size(); ++i) {
    if (matrix::is_comment(lines[i], kComments)) continue;
    const std::vector<std::string_view> cells = split_blanks(lines[i], 65);
    if (rows == 0 && cells.size() <= 64) {
      const std::optional<ListColumns> columns = matrix::list_columns(cells);
      if (columns && columns->bytes) return true;
    }
    if (rows == 0) first = cells;
    if (cells.size() < 3 || cells.size() > 4 || cells.size() != first.size() || !is_pair(cells)) return false;
    if (rows < cells.size()) on_diagonal = on_diagonal || parse_double(cells[rows]).value_or(0) != 0;
    ++rows;
  }
  const std::optional<metis::Header> graph = metis::parse_header(first);
  if (graph && (is_cut || graph->vertices + 1 == rows)) return false;
  return rows > 0 && (is_cut || rows != first.size() || on_diagonal);
}

}  // namespace

bool looks_like_csv(std::string_view head) {
  if (!matrix::is_text(head)) return false;
  const TextLines lines("", head);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (matrix::is_comment(lines[i], kComments)) continue;
    const char separator = separator_of(lines[i]);
    if (separator == ',' || separator == ';' || stated_separator(lines[i])) return true;
    if (lines[i].starts_with('\t')) return true;  // a cell above the names of the rows
    // The plain text format takes TABs for blanks. With names they belong to this format.
    if (separator == '\t' && !is_number(shape_of(lines[i], separator).last)) return true;
    return is_list_between_blanks(head);
  }
  return false;
}

Traffic read_csv(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings) {
  return CsvReader(where, text, warnings).read();
}

}  // namespace topowise
