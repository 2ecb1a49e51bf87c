// SPDX-License-Identifier: BSD-3-Clause
// Tables between commas, semicolons, TABs or blanks: matrices, and lists of pairs. The first line decides what the
// table is, by its names, or if it has none by the numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
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

namespace topowise {
namespace {

// What the names in a table mean: which column of a list is which, and which ranks the rows and columns of a matrix
// are. Where there are names, they decide. What can be read in two ways is refused.

/// The columns of a list of pairs, by their positions from 0.
struct ListColumns {
  std::size_t source = 0;
  std::size_t destination = 1;
  std::optional<std::size_t> bytes = 2;
  std::optional<std::size_t> messages;
  std::vector<std::string> unused;   ///< names of columns that say nothing about bytes; those of an index left out
  std::optional<std::string> twice;  ///< a name whose meaning another column has already
};

/// The rank of each row and of each column of a matrix, and how many ranks there are.
struct MatrixRanks {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> columns;
  std::size_t ranks = 0;
};

constexpr std::array<std::string_view, 9> kSource{"source",      "src",      "sender",    "from",       "origin",
                                                  "source_rank", "src_rank", "from_rank", "sender_rank"};
constexpr std::array<std::string_view, 13> kDestination{
    "destination", "dst",      "dest",    "target",           "to",          "receiver",     "recv",
    "dest_rank",   "dst_rank", "to_rank", "destination_rank", "target_rank", "receiver_rank"};
constexpr std::array<std::string_view, 9> kBytes{"bytes",  "weight",      "size",       "volume", "bytes_sent",
                                                 "nbytes", "total_bytes", "size_bytes", "data"};
constexpr std::array<std::string_view, 8> kMessages{"messages", "message_count", "msgs",         "count",
                                                    "calls",    "n_messages",    "num_messages", "nmsgs"};
/// What pandas and R call the column that numbers the rows.
constexpr std::array<std::string_view, 5> kIndex{"", "index", "unnamed:_0", "id", "row"};
/// What comes before the number in the name of a rank.
constexpr std::array<std::string_view, 9> kRankWords{"", "r", "rank", "p", "proc", "process", "pe", "gpu", "task"};

/// "Source Rank" -> "source_rank"
std::string plain(std::string_view name) {
  std::string text = lower(trim(name));
  std::ranges::replace_if(
      text, [](char c) { return c == ' ' || c == '-'; }, '_');
  return text;
}

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

struct Numbered {
  std::string prefix;
  std::size_t number;
};

/// A word, perhaps empty, and the number behind it. Between them may be a blank, '_' or '-'.
std::optional<Numbered> numbered(std::string_view name) {
  std::string text = lower(trim(name));
  if (text.ends_with(".0")) text.resize(text.size() - 2);  // whole numbers in a column of floats
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  const std::optional<std::int64_t> number = parse_integer(std::string_view(text).substr(digits));
  if (digits == text.size() || !number) return std::nullopt;
  const std::size_t word = text.substr(0, digits).find_last_not_of(" _-") + 1;
  if (digits > 0 && word == 0) return std::nullopt;  // "-1"
  return Numbered{text.substr(0, word), static_cast<std::size_t>(*number)};
}

/// The number in "3", "3.0", "r3" or "rank 3"; nothing for another text.
std::optional<std::size_t> rank_of_name(std::string_view name) {
  const std::optional<Numbered> found = numbered(name);
  return found && is_one_of(kRankWords, found->prefix) ? std::optional(found->number) : std::nullopt;
}

/// The ranks that all names have; nothing if one has none.
std::optional<std::vector<std::size_t>> all_ranks(std::span<const std::string_view> names) {
  std::vector<std::size_t> ranks;
  for (const std::string_view name : names) {
    const std::optional<std::size_t> rank = rank_of_name(name);
    if (!rank) return std::nullopt;
    ranks.push_back(*rank);
  }
  return ranks;
}

std::vector<std::size_t> in_order(std::size_t count) {
  std::vector<std::size_t> ranks(count);
  for (std::size_t i = 0; i < count; ++i) ranks[i] = i;
  return ranks;
}

/// R's own names of columns without names: V1, V2, ...
bool are_of_r(std::span<const std::string_view> columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::optional<Numbered> name = numbered(columns[i]);
    if (!name || name->prefix != "v" || name->number != i + 1) return false;
  }
  return true;
}

std::optional<std::string> named_twice(std::span<const std::string_view> names) {
  std::vector<std::string> sorted;
  for (const std::string_view name : names) sorted.push_back(plain(name));
  std::ranges::sort(sorted);
  const auto found = std::ranges::adjacent_find(sorted);
  return found == sorted.end() ? std::nullopt : std::optional(*found);
}

/// True if the numbers are `first`, `first` + 1, ... in this order.
bool are_counted(std::span<const std::size_t> numbers, std::size_t first) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != first + i) return false;
  }
  return true;
}

/// For a matrix of which one side alone has names: they must not say another order than that of the other side.
std::optional<MatrixRanks> by_one_side(std::span<const std::string_view> names, std::string& why_not) {
  const std::optional<std::vector<std::size_t>> numbers = all_ranks(names);
  if (numbers && !are_counted(*numbers, 0) && !are_counted(*numbers, 1)) {
    why_not = "the names say another order than 0, 1, 2, ..., and only the rows or only the columns have names";
    return std::nullopt;
  }
  return MatrixRanks{in_order(names.size()), in_order(names.size()), names.size()};
}

std::optional<MatrixRanks> by_numbers(std::vector<std::size_t> rows, std::vector<std::size_t> columns,
                                      std::string& why_not) {
  std::vector<std::size_t> all = rows;
  all.insert(all.end(), columns.begin(), columns.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (are_counted(all, 1)) {
    why_not = fmt::format("the names 1 to {} can be ranks of a job of {}, or count ranks 0 to {} from 1", all.size(),
                          all.size() + 1, all.size() - 1);
    return std::nullopt;
  }
  if (all.back() >= matrix::kMostRanks) {
    why_not = fmt::format("{} is no rank from 0 to {}", all.back(), matrix::kMostRanks - 1);
    return std::nullopt;
  }
  return MatrixRanks{std::move(rows), std::move(columns), all.back() + 1};
}

/// By names that are no numbers of ranks: hosts, for example.
std::optional<MatrixRanks> by_equal_names(std::span<const std::string_view> rows,
                                          std::span<const std::string_view> columns, std::string& why_not) {
  std::map<std::string, std::size_t> rank_of;
  for (std::size_t i = 0; i < rows.size(); ++i) rank_of.emplace(plain(rows[i]), i);
  MatrixRanks ranks{in_order(rows.size()), {}, rows.size()};
  for (const std::string_view name : columns) {
    const auto found = rank_of.find(plain(name));
    if (found == rank_of.end()) {
      why_not = fmt::format("column '{}' has no row of that name, so nothing says which rank it is",
                            printable(name.substr(0, 80)));
      return std::nullopt;
    }
    ranks.columns.push_back(found->second);
  }
  if (columns.size() == rows.size()) return ranks;
  why_not = fmt::format("{} rows have names, and {} columns", rows.size(), columns.size());
  return std::nullopt;
}

/// The columns by their names, in any order; nothing if they do not name a source and a destination.
std::optional<ListColumns> list_columns(std::span<const std::string_view> names) {
  std::optional<std::size_t> source, destination, bytes, messages;
  ListColumns columns;
  const auto take = [&](std::optional<std::size_t>& column, std::size_t i) {
    if (column) columns.twice = std::string(names[i]);
    column = i;
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = plain(names[i]);
    if (is_one_of(kSource, name))
      take(source, i);
    else if (is_one_of(kDestination, name))
      take(destination, i);
    else if (is_one_of(kBytes, name))
      take(bytes, i);
    else if (is_one_of(kMessages, name))
      take(messages, i);
    else if (!is_one_of(kIndex, name))
      columns.unused.emplace_back(names[i]);
  }
  if (!source || !destination) return std::nullopt;
  columns.source = *source;
  columns.destination = *destination;
  columns.bytes = bytes;
  columns.messages = messages;
  return columns;
}

/// By names such as "r3", "rank 3" or "3" the ranks are those numbers; by other names, which must be the same for rows
/// and columns, the order of the rows counts. `rows` or `columns` may be empty: then they are in order. Nothing, with
/// `why_not`, if the names can be understood in two ways, or not at all.
std::optional<MatrixRanks> ranks_of_names(std::span<const std::string_view> rows,
                                          std::span<const std::string_view> columns, std::string& why_not) {
  for (const auto& names : {rows, columns}) {
    if (const std::optional<std::string> twice = named_twice(names)) {
      why_not = fmt::format("two rows or two columns are called '{}'", printable(*twice));
      return std::nullopt;
    }
  }
  if (rows.empty() || columns.empty()) return by_one_side(rows.empty() ? columns : rows, why_not);
  std::optional<std::vector<std::size_t>> row_numbers = all_ranks(rows);
  if (are_of_r(columns) && rows.size() == columns.size() && row_numbers && are_counted(*row_numbers, 1))
    return MatrixRanks{in_order(rows.size()), in_order(rows.size()), rows.size()};
  std::optional<std::vector<std::size_t>> column_numbers = all_ranks(columns);
  if (row_numbers && column_numbers) return by_numbers(*std::move(row_numbers), *std::move(column_numbers), why_not);
  return by_equal_names(rows, columns, why_not);
}

constexpr std::string_view kComments = "#%";
constexpr char kBlank = ' ';  ///< cells between any number of blanks

/// The first of , ; TAB that the first line contains, else a blank.
char separator_of(std::string_view line) {
  for (const char candidate : {',', ';', '\t'})
    if (line.find(candidate) != std::string_view::npos) return candidate;
  return kBlank;
}

std::string_view unquoted(std::string_view cell) {
  cell = trim(cell);
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = trim(cell.substr(1, cell.size() - 2));
  return cell;
}

/// The next cell of a line. Some writers end every line with a separator, after which no cell begins.
std::string_view take_cell(std::string_view& line, char separator) {
  if (separator != kBlank) return unquoted(take_part(line, separator));
  const std::string_view cell = unquoted(take_word(line));
  line = trim(line);
  return cell;
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

/// Reads row by row: a text may have a row of a hundred million cells, or as many rows.
class CsvReader {
 public:
  CsvReader(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings)
      : text_(text), lines_(where, text), diagnostics_(lines_), warnings_(warnings), first_(next_row(0)) {
    for (std::size_t line = first_; line < lines_.size(); line = next_row(line + 1)) ++count_;
  }

  Traffic read() {
    if (count_ == 0) diagnostics_.fail(lines_.size(), {}, "no numbers");
    separator_ = separator_of(lines_[first_]);
    const Shape shape = shape_of(lines_[first_], separator_);
    const std::optional<ListColumns> columns =
        shape.count <= kMostOfList ? list_columns(cells_of(lines_[first_], separator_)) : std::nullopt;
    if (columns) {
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

  void read_matrix(const Shape& first) {
    const std::size_t second = next_row(first_ + 1);
    const std::size_t below = second < lines_.size() ? shape_of(lines_[second], separator_).count : 0;
    const bool blank_corner = first.count > 1 && first.first.empty();
    // Names of columns, perhaps behind a cell above the names of the rows; also numbers, if the first cell is empty or
    // there is one cell less than below.
    heading_ = first.count > 1 &&
               (!is_number(first.last) || blank_corner || first.count + 1 == below || is_counted_heading(first.count));
    begin_ = heading_ ? second : first_;
    rows_ = count_ - (heading_ ? 1 : 0);
    if (rows_ == 0) diagnostics_.fail(lines_.size(), {}, "no numbers");
    const Shape row = shape_of(lines_[begin_], separator_);
    named_ = row.count > 1 && (!is_number(row.first) || (heading_ && names_rows(first, row.count)));
    width_ = row.count - (named_ ? 1 : 0);
    if (heading_) check_heading(first.count);
    check_rows();
    const MatrixRanks ranks = place();
    ranks_ = ranks.ranks;
    kept_ = matrix::can_hold(text_.size(), width_ * rows_);
    std::size_t number = 0;
    for (std::size_t line = begin_; line < lines_.size(); line = next_row(line + 1)) read_row(line, number++, ranks);
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
    if (corner_) columns.erase(columns.begin());
    if (!named_ && !heading_) {
      MatrixRanks ranks{std::vector<std::size_t>(width_), {}, width_};
      for (std::size_t i = 0; i < width_; ++i) ranks.rows[i] = i;
      ranks.columns = ranks.rows;
      return ranks;
    }
    std::string why_not;
    std::optional<MatrixRanks> ranks = ranks_of_names(rows, columns, why_not);
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
  std::size_t first_;      ///< the first line that is no comment
  std::size_t count_ = 0;  ///< how many lines are none
  char separator_ = ',';
  bool heading_ = false;   ///< the first row holds names
  bool named_ = false;     ///< the first column holds names
  bool corner_ = false;    ///< a cell is above the names of the rows
  bool kept_ = false;      ///< false for a text that cannot hold all rows
  std::size_t begin_ = 0;  ///< the line of the first row of numbers
  std::size_t rows_ = 0;   ///< of numbers
  std::size_t width_ = 0;  ///< numbers of a row
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
      const std::optional<ListColumns> columns = list_columns(cells);
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
    if (separator == ',' || separator == ';') return true;
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
