// SPDX-License-Identifier: BSD-3-Clause
// QAPLIB instances (Burkard, Karisch, Rendl: "QAPLIB - a quadratic assignment problem library", 1997): n, the matrix A,
// the matrix B, as numbers between blanks and line ends wherever they fall.
#include <fmt/format.h>

#include <topowise/base/text.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

namespace topowise {

bool looks_like_qaplib(std::string_view head) {
  if (!matrix::is_text(head)) return false;
  const TextLines lines("", head);
  bool size_seen = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string_view> words = split_blanks(lines[i]);
    if (words.empty()) continue;
    if (size_seen) return parse_double(words.front()).has_value();
    if (words.size() != 1 || parse_integer(words.front()).value_or(0) < 1) return false;
    size_seen = true;
  }
  return false;
}

Traffic read_qaplib(const std::string& where, std::string_view text) {
  const TextLines lines(where, text);
  matrix::Complaints complaints(lines);
  std::vector<TrafficEntry> entries;
  std::optional<std::size_t> size;
  std::size_t taken = 0;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (const std::string_view word : split_blanks(lines[line])) {
      if (!size) {
        size = matrix::whole_number(complaints, line, word, "a size", 1, 65536);
        complaints.throw_if_any();
        continue;
      }
      if (taken == 2 * *size * *size)
        complaints.fail(line, word, fmt::format("more numbers than two matrices of {0} x {0}", *size));
      const double bytes = matrix::amount(complaints, line, word);
      if (taken < *size * *size && bytes > 0) entries.push_back(matrix::entry(taken / *size, taken % *size, bytes));
      ++taken;
    }
  }
  if (!size) complaints.fail(0, {}, "no numbers");
  if (taken != 2 * *size * *size)
    complaints.add(lines.size(), {},
                   fmt::format("the file ends after {} of the {} numbers of two matrices of {} x {}", taken,
                               2 * *size * *size, *size, *size));
  complaints.throw_if_any();
  return Traffic::from_entries(*size, std::move(entries));
}

}  // namespace topowise
