// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <topowise/base/text.hpp>
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
    return parse_double(split_blanks(lines[i]).front()).has_value();
  }
  return false;
}

Traffic read_matrix_text(const std::string& where, std::string_view text) {
  const TextLines lines(where, text);
  matrix::Complaints complaints(lines);
  std::vector<TrafficEntry> entries;
  std::size_t ranks = 0;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (matrix::is_comment(lines[i], kComments)) continue;
    const std::vector<std::string_view> cells = split_blanks(lines[i]);
    if (rows == 0) ranks = cells.size();
    if (rows == ranks)
      complaints.fail(i, cells.front(), fmt::format("row {} of a matrix with {} columns", rows + 1, ranks));
    if (cells.size() != ranks) {
      complaints.add(i, cells.size() > ranks ? cells[ranks] : std::string_view(),
                     fmt::format("row {} has {} numbers, the first has {}", rows + 1, cells.size(), ranks));
    }
    for (std::size_t column = 0; column < cells.size() && column < ranks; ++column) {
      const double bytes = matrix::amount(complaints, i, cells[column]);
      if (bytes > 0) entries.push_back(matrix::entry(rows, column, bytes));
    }
    ++rows;
  }
  if (rows != ranks || rows == 0)
    complaints.add(lines.size(), {},
                   rows == 0 ? "no numbers" : fmt::format("the matrix ends after {} of {} rows", rows, ranks));
  complaints.throw_if_any();
  return Traffic::from_entries(ranks, std::move(entries));
}

}  // namespace topowise
