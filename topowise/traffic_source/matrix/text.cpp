// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/graph/traffic/traffic_builder.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

namespace topowise {
namespace {

constexpr std::string_view kComments = "#%";

}  // namespace

bool looks_like_matrix_text(std::string_view head) {
  if (!matrix::is_text(head)) return false;
  const TextLines lines("", head);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (matrix::is_comment(lines[i], kComments)) continue;
    std::string_view rest = lines[i];
    return parse_double(take_word(rest)).has_value();
  }
  return false;
}

Traffic read_matrix_text(const std::string& where, std::string_view text) {
  const TextLines lines(where, text);
  matrix::TextDiagnostics diagnostics(lines);
  TrafficBuilder entries;
  std::size_t ranks = 0;
  std::size_t rows = 0;
  bool kept = false;  // a text that cannot hold all rows is only checked for errors
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (matrix::is_comment(lines[i], kComments)) continue;
    const std::size_t cells = count_words(lines[i]);
    if (rows == 0) {
      ranks = cells;
      kept = matrix::can_hold(text.size(), ranks * ranks);
    }
    std::string_view rest = lines[i];
    if (rows == ranks)
      diagnostics.fail(i, take_word(rest), fmt::format("row {} of a matrix with {} columns", rows + 1, ranks));
    if (cells < ranks)
      diagnostics.add(i, {}, fmt::format("row {} has {} numbers, the first has {}", rows + 1, cells, ranks));
    std::size_t column = 0;
    for (std::string_view cell = take_word(rest); !cell.empty(); cell = take_word(rest)) {
      if (column == ranks) {
        diagnostics.add(i, cell, fmt::format("row {} has {} numbers, the first has {}", rows + 1, cells, ranks));
        break;
      }
      const double bytes = matrix::amount(diagnostics, i, cell);
      if (bytes > 0 && kept) entries.add(matrix::entry(rows, column, bytes));
      ++column;
    }
    ++rows;
  }
  if (rows != ranks || rows == 0)
    diagnostics.add(lines.size(), {},
                    rows == 0 ? "no numbers" : fmt::format("the matrix ends after {} of {} rows", rows, ranks));
  diagnostics.throw_if_any();
  return std::move(entries).finish(ranks);
}

}  // namespace topowise
