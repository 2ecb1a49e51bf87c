// SPDX-License-Identifier: BSD-3-Clause
// QAPLIB instances (Burkard, Karisch, Rendl: "QAPLIB - a quadratic assignment problem library", 1997): n, the matrix A,
// the matrix B. The numbers are between blanks, with line ends anywhere.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/graph/traffic/traffic_builder.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

namespace topowise {

bool looks_like_qaplib(std::string_view head) {
  if (!matrix::is_text(head)) return false;
  const TextLines lines("", head);
  bool size_seen = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string_view> words = split_blanks(lines[i], 2);
    if (words.empty()) continue;
    if (size_seen) return parse_double(words.front()).has_value();
    if (words.size() != 1 || parse_integer(words.front()).value_or(0) < 1) return false;
    size_seen = true;
  }
  return false;
}

namespace {

/// The numbers on the diagonals of both matrices.
struct Diagonals {
  std::vector<double> first;
  std::vector<double> second;

  void add(std::size_t taken, std::size_t size, double number) {
    const std::size_t i = taken % (size * size);
    if (i / size == i % size) (taken < size * size ? first : second).push_back(number);
  }

  /// Warns of what published costs count but hop-bytes do not: ranks that send to themselves.
  [[nodiscard]] std::optional<Diagnostic> warning(const std::string& where) const {
    const double sent = std::accumulate(first.begin(), first.end(), 0.0);
    const double apart = std::accumulate(second.begin(), second.end(), 0.0);
    if (sent * apart == 0) return std::nullopt;
    const auto is_even = [](const std::vector<double>& numbers) {
      return std::ranges::adjacent_find(numbers, std::ranges::not_equal_to()) == numbers.end();
    };
    const std::string less = is_even(first) || is_even(second)
                                 ? fmt::format("{:g} less", sent * apart / static_cast<double>(first.size()))
                                 : "less, by what depends on the mapping,";
    return Diagnostic{.where = where,
                      .what = fmt::format("both diagonals hold numbers above 0; what ranks send to themselves costs "
                                          "nothing here: hop-bytes are {} than QAPLIB's cost",
                                          less)};
  }
};

}  // namespace

Traffic read_qaplib(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings) {
  const TextLines lines(where, text);
  matrix::TextDiagnostics diagnostics(lines);
  TrafficBuilder entries;
  std::optional<std::size_t> size;
  std::size_t taken = 0;
  Diagonals diagonals;
  bool kept = false;  // a text that cannot hold both matrices is only checked for errors
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::string_view rest = lines[line];
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      if (!size) {
        size = matrix::whole_number(diagnostics, line, word, "a size", 1, 65536);
        diagnostics.throw_if_any();
        kept = matrix::can_hold(text.size(), 2 * *size * *size);
        continue;
      }
      if (taken == 2 * *size * *size)
        diagnostics.fail(line, word, fmt::format("more numbers than two matrices of {0} x {0}", *size));
      const double bytes = matrix::amount(diagnostics, line, word);
      diagonals.add(taken, *size, bytes);
      if (kept && taken < *size * *size && bytes > 0) entries.add(matrix::entry(taken / *size, taken % *size, bytes));
      ++taken;
    }
  }
  if (!size) diagnostics.fail(0, {}, "no numbers");
  if (taken != 2 * *size * *size)
    diagnostics.add(lines.size(), {},
                    fmt::format("the file ends after {} of the {} numbers of two matrices of {} x {}", taken,
                                2 * *size * *size, *size, *size));
  diagnostics.throw_if_any();
  if (std::optional<Diagnostic> warning = diagonals.warning(where)) warnings.push_back(*std::move(warning));
  return std::move(entries).finish(*size);
}

}  // namespace topowise
