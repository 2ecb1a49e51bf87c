// SPDX-License-Identifier: BSD-3-Clause
// MatrixMarket (Boisvert, Pozo, Remington, NISTIR 5935): "%%MatrixMarket matrix coordinate|array FIELD SYMMETRY", then
// comments, a size line, and entries; coordinates count from 1, arrays go down the columns.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

#include <topowise/base/text.hpp>
#include <topowise/topology_source/matrix/numbers.hpp>
#include <topowise/topology_source/matrix/units.hpp>

namespace topowise {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

struct MarketHeader {
  bool coordinate = false;
  bool symmetric = false;
};

MarketHeader parse_header(const TextLines& lines) {
  const std::string first = lower(lines[0]);
  const std::vector<std::string_view> words = split_blanks(first);
  const auto is = [&](std::size_t w, std::string_view word) { return w < words.size() && words[w] == word; };
  const auto wrong = [&](std::string_view what) { fail(lines.at(0, {}, std::string(what))); };
  if (!is(1, "matrix")) wrong("only 'matrix' objects hold pairs");
  if (!is(2, "coordinate") && !is(2, "array")) wrong("the format is neither 'coordinate' nor 'array'");
  if (!is(3, "real") && !is(3, "integer") && !is(3, "double")) wrong("only 'real' and 'integer' fields hold values");
  if (!is(4, "general") && !is(4, "symmetric")) wrong("the symmetry is neither 'general' nor 'symmetric'");
  return {is(2, "coordinate"), is(4, "symmetric")};
}

class MarketReader {
 public:
  MarketReader(const TextLines& lines, MarketHeader header) : lines_(lines), header_(header) {}

  PairValues read() {
    for (line_ = 1; line_ < lines_.size(); ++line_) {
      const std::string_view line = trim(lines_[line_]);
      if (line.starts_with('%')) {
        words_.append(line.substr(1)).append(" ");
        continue;
      }
      const std::vector<std::string_view> cells = split_blanks(line);
      if (cells.empty()) continue;
      if (n_ == 0) {
        read_size(cells);
      } else if (header_.coordinate) {
        read_coordinate(cells);
      } else {
        read_array(cells);
      }
    }
    if (n_ == 0) fail({lines_.where(), {}, "the size line is missing", {}, {}});
    check_complete();
    return make_pair_values(std::move(values_), n_, {}, find_unit(words_));
  }

 private:
  std::size_t parse_count(std::string_view cell, std::size_t largest) {
    const std::optional<std::int64_t> value = parse_integer(cell);
    if (!value || *value < 1 || *value > static_cast<std::int64_t>(largest))
      fail(lines_.at(line_, cell, fmt::format("{} is not a number from 1 to {}", quoted(cell), largest)));
    return static_cast<std::size_t>(*value);
  }

  void read_size(const std::vector<std::string_view>& cells) {
    if (cells.size() != (header_.coordinate ? 3U : 2U)) fail(lines_.at(line_, {}, "this is not a size line"));
    const std::size_t rows = parse_count(cells[0], kMostPairPlaces);
    const std::size_t columns = parse_count(cells[1], kMostPairPlaces);
    if (rows != columns)
      fail(lines_.at(line_, {}, fmt::format("{} rows and {} columns are no square matrix", rows, columns)));
    const std::size_t pairs = header_.symmetric ? rows * (rows - 1) / 2 : rows * (rows - 1);
    const std::optional<std::int64_t> entries = header_.coordinate ? parse_integer(cells[2]) : std::nullopt;
    if (header_.coordinate && (!entries || *entries < 0 || static_cast<std::size_t>(*entries) < pairs)) {
      fail(lines_.at(line_, cells[2],
                     fmt::format("{} entries do not state all pairs of {} places", quoted(cells[2]), rows)));
    }
    if (lines_.size() - line_ - 1 < pairs)  // before memory is spent on a size that the file cannot fill
      fail(lines_.at(line_, {}, fmt::format("the file ends before all pairs of {} places are stated", rows)));
    n_ = rows;
    values_.assign(n_ * n_, kAbsent);
  }

  double parse_value(std::string_view cell) {
    const std::optional<double> value = parse_double(cell);
    if (!value || !std::isfinite(*value) || *value < 0)
      fail(lines_.at(line_, cell, fmt::format("{} is no value of a pair", quoted(cell))));
    return *value;
  }

  void set(std::size_t row, std::size_t column, double value) {
    values_[row * n_ + column] = value;
    if (header_.symmetric) values_[column * n_ + row] = value;
  }

  void read_coordinate(const std::vector<std::string_view>& cells) {
    if (cells.size() != 3) fail(lines_.at(line_, {}, "an entry has a row, a column and a value"));
    const std::size_t row = parse_count(cells[0], n_) - 1;
    const std::size_t column = parse_count(cells[1], n_) - 1;
    set(row, column, parse_value(cells[2]));
  }

  void read_array(const std::vector<std::string_view>& cells) {
    for (const std::string_view cell : cells) {
      if (next_column_ == n_) fail(lines_.at(line_, cell, fmt::format("more numbers than a matrix of {} has", n_)));
      set(next_row_, next_column_, parse_value(cell));
      if (++next_row_ == n_) next_row_ = header_.symmetric ? ++next_column_ : (++next_column_, 0);
    }
  }

  void check_complete() const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (i / n_ != i % n_ && std::isnan(values_[i]))
        fail({lines_.where(), {}, fmt::format("no value for the pair ({}, {})", i / n_ + 1, i % n_ + 1), {}, {}});
    }
  }

  const TextLines& lines_;
  MarketHeader header_;
  std::size_t line_ = 0;
  std::size_t n_ = 0;
  std::size_t next_row_ = 0;
  std::size_t next_column_ = 0;
  std::vector<double> values_;
  std::string words_;
};

}  // namespace

bool is_matrix_market(std::string_view first_line) {
  constexpr std::string_view kBanner = "%%matrixmarket";
  return lower(first_line.substr(0, kBanner.size())) == kBanner;
}

PairValues read_matrix_market(const TextLines& lines) {
  return MarketReader(lines, parse_header(lines)).read();
}

}  // namespace topowise
