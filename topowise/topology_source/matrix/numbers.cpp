// SPDX-License-Identifier: BSD-3-Clause
// A matrix as people write it down: rows of numbers with blanks, commas or semicolons between them. The size may come
// first, names may be above and before the numbers, comments begin with '#', '%' or '//'. A QAPLIB file has the size
// and then two matrices, with line breaks anywhere; the second matrix holds the distances. A text may have millions of
// lines or cells, so it is read twice: first for its shape, then for the values.
#include <topowise/topology_source/matrix/numbers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/matrix/matrix_units.hpp>

namespace topowise {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostMessages = 10;

std::string_view comment_of(std::string_view line) {
  const std::size_t at = std::min({line.find('#'), line.find('%'), line.find("//")});
  return at == std::string_view::npos ? std::string_view() : line.substr(at);
}

/// The cells of a line without its comment. An empty text between two commas is a cell; a comma at the end makes none.
class Cells {
 public:
  explicit Cells(std::string_view line) : rest_(trim(line.substr(0, line.size() - comment_of(line).size()))) {
    separator_ = rest_.find(',') != std::string_view::npos   ? ','
                 : rest_.find(';') != std::string_view::npos ? ';'
                                                             : ' ';
  }

  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    if (separator_ == ' ') return take_word(rest_);
    const std::string_view cell = trim(take_part(rest_, separator_));
    return cell.size() >= 2 && cell.front() == '"' && cell.back() == '"' ? cell.substr(1, cell.size() - 2) : cell;
  }

 private:
  std::string_view rest_;
  char separator_ = ' ';
};

bool is_number(std::string_view cell) {
  const std::optional<double> value = parse_double(cell);
  return value && std::isfinite(*value);
}

/// True for what is meant as a number, also where it is none: "0x10", "1e400", "12abc", "-nan".
bool is_like_number(std::string_view cell) {
  cell.remove_prefix(std::min(cell.size(), cell.find_first_not_of("+-")));
  return !cell.empty() && (is_digit(cell.front()) || cell.front() == '.' || is_no_finite_number(cell));
}

/// A line of cells, with what the shape of the matrix depends on.
struct NumberRow {
  std::size_t line = 0;
  std::size_t count = 0;
  std::string_view first, second;
  bool any_number = false;
  bool counts = true;  ///< true for ",0,1,2": an empty corner and the numbers of the columns

  [[nodiscard]] bool is_numbered_header() const { return count >= 2 && first.empty() && counts; }
  [[nodiscard]] bool starts_with_name() const {
    return count > 1 && !is_number(first) && (is_number(second) || is_absent(second));
  }
};

NumberRow look_at(const TextLines& lines, std::size_t l) {
  NumberRow row{.line = l};
  Cells cells(lines[l]);
  while (const std::optional<std::string_view> cell = cells.next()) {
    if (row.count == 0) row.first = *cell;
    if (row.count == 1) row.second = *cell;
    row.counts = row.counts && (row.count == 0 || parse_integer(*cell) == static_cast<std::int64_t>(row.count) - 1);
    row.any_number = row.any_number || is_number(*cell);
    ++row.count;
  }
  return row;
}

/// The text without comments and names.
struct Numbers {
  std::size_t begin = 0;  ///< the line of the first row
  std::size_t rows = 0;
  std::size_t count = 0;  ///< number of cells of all rows
  std::size_t first_width = 0;
  bool named = false;            ///< each row begins with a name
  std::size_t last_line = 0;     ///< line of the last row
  std::vector<NumberRow> other;  ///< the first rows that are not as wide as the first one
  std::vector<std::string> names;
  std::string words;  ///< words of the comments and the header

  /// Number of values in the first row, without its name.
  [[nodiscard]] std::size_t width() const { return first_width - (named ? 1 : 0); }
  [[nodiscard]] std::size_t values() const { return count - (named ? rows : 0); }
};

void add_words(Numbers& numbers, std::string_view text) {
  constexpr std::size_t kEnough = 65536;
  if (numbers.words.size() < kEnough) numbers.words.append(text.substr(0, kEnough)).append(" ");
}

/// Reads the names of the columns. Returns true if they are numbers.
bool read_header(const TextLines& lines, const NumberRow& row, Numbers& numbers) {
  add_words(numbers, lines[row.line]);
  Cells cells(lines[row.line]);
  if (row.first.empty()) (void)cells.next();
  for (auto cell = cells.next(); cell && numbers.names.size() <= kMostPairPlaces; cell = cells.next())
    numbers.names.push_back(printable(cell->substr(0, 256)));
  return row.is_numbered_header();
}

Numbers collect(const TextLines& lines, std::size_t most_rows) {
  constexpr std::size_t kMostNumbers = 2 * kMostPairPlaces * (kMostPairPlaces + 1);  // two matrices with names
  Numbers numbers{.named = true};
  bool numbered = false;
  for (std::size_t l = 0; l < lines.size() && numbers.rows < most_rows; ++l) {
    add_words(numbers, comment_of(lines[l]));
    const NumberRow row = look_at(lines, l);
    if (row.count == 0) continue;
    const bool may_be_header = numbers.rows == 0 && numbers.names.empty();
    if (may_be_header && (!row.any_number || row.is_numbered_header())) {
      numbered = read_header(lines, row, numbers);
      continue;
    }
    if (numbers.rows++ == 0) {
      numbers.begin = l;
      numbers.first_width = row.count;
    }
    numbers.last_line = l;
    numbers.count += row.count;
    if (numbers.count > kMostNumbers)
      fail(lines.at(
          l, {}, fmt::format("more numbers than two matrices of {} places have, which is the limit", kMostPairPlaces)));
    // Rows are named only if all of them have a name. An absent value ("-") may begin the first row of a matrix, but
    // not all rows.
    numbers.named = numbers.named && (row.starts_with_name() || (numbered && row.count > 1));
    if (row.count != numbers.first_width && numbers.other.size() < kMostMessages) numbers.other.push_back(row);
  }
  if (numbers.rows == 0) numbers.named = false;
  if (numbers.named) numbers.names.clear();
  return numbers;
}

/// Calls `visit(line, cell)` for the cells of rows. The names of rows go to `named(cell)` instead.
template <class Named, class Visit>
void for_each_cell(const TextLines& lines, const Numbers& numbers, const Named& named, const Visit& visit) {
  for (std::size_t l = numbers.begin; l <= numbers.last_line && numbers.rows > 0; ++l) {
    Cells cells(lines[l]);
    std::optional<std::string_view> cell = cells.next();
    if (cell && numbers.named) {
      named(*cell);
      cell = cells.next();
    }
    for (; cell; cell = cells.next()) visit(l, *cell);
  }
}

[[noreturn]] void too_large(const TextLines& lines, std::size_t line, std::string_view cell) {
  fail(lines.at(line, cell,
                fmt::format("a matrix of {} places is too large; the limit is {}", in_quotes(cell), kMostPairPlaces)));
}

/// The size that is alone in the first line; 0 if there is none. As many numbers must follow as it asks for.
std::size_t stated_size(const TextLines& lines, const Numbers& numbers) {
  if (numbers.width() != 1 || numbers.rows < 2) return 0;
  Cells cells(lines[numbers.begin]);
  if (numbers.named) (void)cells.next();
  const std::string_view cell = cells.next().value_or("");
  const std::optional<std::int64_t> n = parse_integer(cell);
  if (!n || *n < 1) return 0;
  if (*n > static_cast<std::int64_t>(kMostPairPlaces)) too_large(lines, numbers.begin, cell);
  return static_cast<std::size_t>(*n);
}

bool is_square(const Numbers& numbers) {
  return numbers.width() <= kMostPairPlaces && numbers.other.empty() && numbers.rows == numbers.width();
}

/// Checks all values from index `first` on, and keeps those from index `from` on.
std::vector<double> parse_all(const TextLines& lines, Numbers& numbers, std::size_t first, std::size_t from) {
  Diagnostics wrong;
  std::vector<double> values;
  values.reserve(numbers.values() - std::min(from, numbers.values()));
  std::size_t index = 0;
  const auto name = [&](std::string_view cell) {
    if (numbers.names.size() <= kMostPairPlaces) numbers.names.push_back(printable(cell.substr(0, 256)));
  };
  for_each_cell(lines, numbers, name, [&](std::size_t line, std::string_view cell) {
    if (index++ < first) return;
    const bool number = is_number(cell);
    if (!number && !is_absent(cell) && wrong.all().size() < kMostMessages)
      wrong.add(lines.at(line, cell, fmt::format("{} is not a number", in_quotes(cell))));
    if (index > from) values.push_back(number ? *parse_double(cell) : kAbsent);
  });
  wrong.throw_if_any();
  return values;
}

/// Throws an error that says why the rows are no square.
void check_square(const TextLines& lines, const Numbers& numbers) {
  const std::size_t width = numbers.width();
  if (width > kMostPairPlaces) {
    fail(lines.at(numbers.begin, {},
                  fmt::format("a matrix of {} places is too large; the limit is {}", width, kMostPairPlaces)));
  }
  Diagnostics wrong;
  for (const NumberRow& row : numbers.other) {
    wrong.add(lines.at(
        row.line, {},
        fmt::format("this row has {} numbers, the first one has {}", row.count - (numbers.named ? 1 : 0), width)));
  }
  wrong.throw_if_any();
  if (numbers.rows != width) {
    fail(lines.at(numbers.last_line, {}, fmt::format("{} rows of {} numbers are no square matrix", numbers.rows, width),
                  "a pair matrix has one row and one column for each place"));
  }
}

/// Throws an error at cell number `index`, counted without names.
[[noreturn]] void fail_at(const TextLines& lines, const Numbers& numbers, std::size_t index, const std::string& what) {
  std::size_t next = 0;
  for_each_cell(
      lines, numbers, [](std::string_view) {},
      [&](std::size_t line, std::string_view cell) {
        if (next++ == index) fail(lines.at(line, cell, what));
      });
  fail({lines.where(), {}, what, {}, {}});
}

/// `from` is the number of the cell that has the first value.
void check_values(const TextLines& lines, const Numbers& numbers, const std::vector<double>& values, std::size_t n,
                  std::size_t from) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i / n == i % n || values[i] >= 0) continue;
    fail_at(lines, numbers, from + i,
            std::isnan(values[i])
                ? fmt::format("no value for the pair ({}, {})", i / n, i % n)
                : fmt::format("the value {} of the pair ({}, {}) is negative", values[i], i / n, i % n));
  }
}

}  // namespace

bool looks_like_numbers(const TextLines& lines) {
  constexpr std::size_t kEnough = 40;
  const Numbers numbers = collect(lines, kEnough);
  // The last line of a head may be cut anywhere, and a single line of numbers may mean anything.
  if (numbers.rows < 2) return false;
  std::size_t count = 0;
  bool numeric = true;
  for_each_cell(
      lines, numbers, [](std::string_view) {},
      [&](std::size_t line, std::string_view cell) {
        if (is_number(cell)) ++count;
        numeric = numeric && (is_like_number(cell) || is_absent(cell) || line == numbers.last_line);
      });
  return numeric && count >= 2;
}

PairValues read_numbers(const TextLines& lines) {
  Numbers numbers = collect(lines, std::numeric_limits<std::size_t>::max());
  if (numbers.rows == 0) fail({lines.where(), {}, "no numbers found", {}, "a pair matrix has one row for each place"});
  std::size_t n = stated_size(lines, numbers);
  const std::size_t first = n > 0 ? 1 : 0;
  const std::size_t count = numbers.values() - first;
  const bool is_qaplib = n > 0 && count == 2 * n * n;  // flows, then distances
  const bool fits = n > 0 ? is_qaplib || count == n * n : is_square(numbers);
  const std::size_t from = first + (is_qaplib ? n * n : 0);
  std::vector<double> values = parse_all(lines, numbers, first, fits ? from : numbers.values());
  if (n > 0 && !fits) {
    fail(lines.at(
        numbers.begin, {},
        fmt::format("size {} asks for {} numbers, or {} in a QAPLIB instance; {} follow", n, n * n, 2 * n * n, count)));
  }
  if (n == 0) {
    check_square(lines, numbers);
    n = numbers.width();
  }
  check_values(lines, numbers, values, n, from);
  if (numbers.names.size() != n) numbers.names.clear();
  return make_pair_values(std::move(values), n, std::move(numbers.names), find_unit(numbers.words));
}

}  // namespace topowise
