// SPDX-License-Identifier: BSD-3-Clause
// A matrix as people write it down: rows of numbers with blanks, commas or semicolons between; perhaps the size first;
// perhaps names above and before; comments after '#', '%' or '//'. QAPLIB: the size and then two matrices, in any line
// breaks; the second one holds the distances.
#include <topowise/topology_source/matrix/numbers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/matrix/units.hpp>

namespace topowise {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostMessages = 10;
using Words = std::vector<std::string_view>;

std::string_view comment_of(std::string_view line) {
  const std::size_t at = std::min({line.find('#'), line.find('%'), line.find("//")});
  return at == std::string_view::npos ? std::string_view() : line.substr(at);
}

/// Cells of a line without its comment; "" between two commas is a cell, a trailing comma makes none.
Words cut(std::string_view line) {
  line = trim(line.substr(0, line.size() - comment_of(line).size()));
  const char separator = line.find(',') != std::string_view::npos   ? ','
                         : line.find(';') != std::string_view::npos ? ';'
                                                                    : ' ';
  if (separator == ' ') return split_blanks(line);
  if (line.back() == separator) line.remove_suffix(1);
  Words cells = split(line, separator);
  for (std::string_view& cell : cells) {
    cell = trim(cell);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
  }
  return cells;
}

bool is_number(std::string_view cell) {
  const std::optional<double> value = parse_double(cell);
  return value && std::isfinite(*value);
}

/// What stands on a diagonal that has no value.
bool is_absent(std::string_view cell) {
  return cell.empty() || cell == "-" || cell == "X" || cell == "x" || lower(cell) == "n/a" || lower(cell) == "nan" ||
         lower(cell) == "inf";
}

struct NumberRow {
  std::size_t line = 0;
  Words cells;
};

/// The text without comments and names.
struct Numbers {
  std::vector<NumberRow> rows;
  std::vector<std::string> names;
  std::string words;  ///< of comments and the header
};

void add_words(Numbers& numbers, std::string_view text) {
  constexpr std::size_t kEnough = 65536;
  if (numbers.words.size() < kEnough) numbers.words.append(text).append(" ");
}

/// ",0,1,2": an empty corner and the numbers of the columns.
bool is_numbered_header(const Words& cells) {
  if (cells.size() < 2 || !cells[0].empty()) return false;
  for (std::size_t c = 1; c < cells.size(); ++c) {
    if (parse_integer(cells[c]) != static_cast<std::int64_t>(c - 1)) return false;
  }
  return true;
}

bool starts_with_name(const Words& cells) {
  return cells.size() > 1 && !is_number(cells[0]) && (is_number(cells[1]) || is_absent(cells[1]));
}

Numbers collect(const TextLines& lines, std::size_t most_lines) {
  constexpr std::size_t kMostNumbers = 2 * kMostPairPlaces * (kMostPairPlaces + 1);  // two matrices with names
  Numbers numbers;
  bool numbered = false;
  std::size_t count = 0;
  for (std::size_t l = 0; l < lines.size() && numbers.rows.size() < most_lines; ++l) {
    add_words(numbers, comment_of(lines[l]));
    Words cells = cut(lines[l]);
    if (cells.empty()) continue;
    const bool may_be_header = numbers.rows.empty() && numbers.names.empty();
    if (may_be_header && (std::ranges::none_of(cells, is_number) || is_numbered_header(cells))) {
      numbered = is_numbered_header(cells);
      add_words(numbers, lines[l]);
      if (cells[0].empty()) cells.erase(cells.begin());
      for (const std::string_view cell : cells) numbers.names.push_back(printable(cell));
      continue;
    }
    count += cells.size();
    if (count > kMostNumbers)
      fail(lines.at(
          l, {}, fmt::format("more numbers than two matrices of {} places have, which is the limit", kMostPairPlaces)));
    numbers.rows.push_back({l, std::move(cells)});
  }
  // Row names: all rows have one. An absent value ("-") may begin the first row of a matrix, but not all of them.
  const auto named = [&](const NumberRow& row) {
    return starts_with_name(row.cells) || (numbered && row.cells.size() > 1);
  };
  if (!numbers.rows.empty() && std::ranges::all_of(numbers.rows, named)) {
    numbers.names.clear();
    for (NumberRow& row : numbers.rows) {
      numbers.names.push_back(printable(row.cells[0]));
      row.cells.erase(row.cells.begin());
    }
  }
  return numbers;
}

[[noreturn]] void too_large(const TextLines& lines, std::size_t line, std::string_view cell) {
  fail(lines.at(line, cell,
                fmt::format("a matrix of {} places is too large; the limit is {}", quoted(cell), kMostPairPlaces)));
}

/// The size that stands alone in the first line, if it is one: as many numbers follow as it asks for.
std::size_t stated_size(const TextLines& lines, const Numbers& numbers) {
  const NumberRow& first = numbers.rows.front();
  if (first.cells.size() != 1 || numbers.rows.size() < 2) return 0;
  const std::optional<std::int64_t> n = parse_integer(first.cells[0]);
  if (!n || *n < 1) return 0;
  if (*n > static_cast<std::int64_t>(kMostPairPlaces)) too_large(lines, first.line, first.cells[0]);
  return static_cast<std::size_t>(*n);
}

std::vector<double> parse_all(const TextLines& lines, const Numbers& numbers, std::size_t first_row) {
  Diagnostics wrong;
  std::vector<double> values;
  for (std::size_t r = first_row; r < numbers.rows.size(); ++r) {
    for (const std::string_view cell : numbers.rows[r].cells) {
      const bool number = is_number(cell);
      if (!number && !is_absent(cell) && wrong.all().size() < kMostMessages)
        wrong.add(lines.at(numbers.rows[r].line, cell, fmt::format("{} is not a number", quoted(cell))));
      values.push_back(number ? *parse_double(cell) : kAbsent);
    }
  }
  wrong.throw_if_any();
  return values;
}

/// n of a square of rows; else an error that names the row.
std::size_t square_size(const TextLines& lines, const Numbers& numbers) {
  const std::size_t width = numbers.rows.front().cells.size();
  if (width > kMostPairPlaces) {
    fail(lines.at(numbers.rows.front().line, {},
                  fmt::format("a matrix of {} places is too large; the limit is {}", width, kMostPairPlaces)));
  }
  Diagnostics wrong;
  for (const NumberRow& row : numbers.rows) {
    if (row.cells.size() != width && wrong.all().size() < kMostMessages)
      wrong.add(lines.at(row.line, {},
                         fmt::format("this row has {} numbers, the first one has {}", row.cells.size(), width)));
  }
  wrong.throw_if_any();
  if (numbers.rows.size() != width) {
    fail(lines.at(numbers.rows.back().line, {},
                  fmt::format("{} rows of {} numbers are no square matrix", numbers.rows.size(), width),
                  "a pair matrix has one row and one column for each place"));
  }
  return width;
}

void check_values(const TextLines& lines, const std::vector<double>& values, std::size_t n) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i / n == i % n || values[i] >= 0) continue;
    fail({lines.where(),
          {},
          std::isnan(values[i]) ? fmt::format("no value for the pair ({}, {})", i / n, i % n)
                                : fmt::format("the value {} of the pair ({}, {}) is negative", values[i], i / n, i % n),
          {},
          {}});
  }
}

}  // namespace

bool looks_like_numbers(const TextLines& lines) {
  constexpr std::size_t kEnough = 40;
  const Numbers numbers = collect(lines, kEnough);
  // The last line of a head may be cut anywhere, and a single line of numbers may be anything.
  if (numbers.rows.size() < 2) return false;
  std::size_t count = 0;
  for (std::size_t r = 0; r < numbers.rows.size(); ++r) {
    const bool cut_off = r + 1 == numbers.rows.size();
    for (const std::string_view cell : numbers.rows[r].cells) {
      if (is_number(cell)) {
        ++count;
      } else if (!is_absent(cell) && !cut_off) {
        return false;
      }
    }
  }
  return count >= 2;
}

PairValues read_numbers(const TextLines& lines) {
  Numbers numbers = collect(lines, std::numeric_limits<std::size_t>::max());
  if (numbers.rows.empty())
    fail({lines.where(), {}, "no numbers found", {}, "a pair matrix has one row for each place"});
  std::size_t n = stated_size(lines, numbers);
  std::vector<double> values = parse_all(lines, numbers, n > 0 ? 1 : 0);
  if (n > 0 && values.size() == 2 * n * n) {  // QAPLIB: flows, then distances
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n * n));
  } else if (n > 0 && values.size() != n * n) {
    fail(lines.at(numbers.rows.front().line, {},
                  fmt::format("size {} asks for {} numbers, or {} in a QAPLIB instance; {} follow", n, n * n, 2 * n * n,
                              values.size())));
  } else if (n == 0) {
    n = square_size(lines, numbers);
  }
  check_values(lines, values, n);
  if (numbers.names.size() != n) numbers.names.clear();
  return make_pair_values(std::move(values), n, std::move(numbers.names), find_unit(numbers.words));
}

}  // namespace topowise
