// SPDX-License-Identifier: BSD-3-Clause
// What the readers of matrix files share: limits, cells that hold an amount, collecting diagnostics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise::matrix {

/// A sparse file may announce any number of ranks in a few bytes; more than this is damage.
inline constexpr std::size_t kMostRanks = std::size_t{1} << 22;

/// What is wrong with one text. The first ones are kept; a text that is wrong throughout is not read to its end.
class TextDiagnostics {
 public:
  explicit TextDiagnostics(const TextLines& lines) : lines_(lines) {}

  /// `cell` as in TextLines::at(). Throws when there have been so many that reading on is of no use.
  void add(std::size_t line, std::string_view cell, std::string what, std::string hint = {});
  [[nodiscard]] bool empty() const { return found_.empty(); }
  void throw_if_any() const { found_.throw_if_any(); }
  [[noreturn]] void fail(std::size_t line, std::string_view cell, std::string what, std::string hint = {});

 private:
  const TextLines& lines_;
  Diagnostics found_;
};

/// A finite number of 0 or more; else a diagnostic, and 0.
[[nodiscard]] double amount(TextDiagnostics& diagnostics, std::size_t line, std::string_view cell);
/// A whole number from `least` to `most`; else a diagnostic naming `what` ("a rank"), and nothing.
[[nodiscard]] std::optional<std::size_t> whole_number(TextDiagnostics& diagnostics, std::size_t line,
                                                      std::string_view cell, std::string_view what, std::size_t least,
                                                      std::size_t most);

/// A matrix says how much, not in how many messages: 0 of them.
[[nodiscard]] TrafficEntry entry(std::size_t source, std::size_t destination, double bytes);

/// True if a text of `size` bytes can hold `count` numbers.
[[nodiscard]] constexpr bool can_hold(std::size_t size, std::size_t count) {
  return count <= size / 2 + 1;
}

/// No bytes that no text has: tells noise and binary files from damaged text.
[[nodiscard]] bool is_text(std::string_view head);
/// A blank line, or one that begins with one of `marks`.
[[nodiscard]] bool is_comment(std::string_view line, std::string_view marks);

}  // namespace topowise::matrix
