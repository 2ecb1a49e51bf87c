// SPDX-License-Identifier: BSD-3-Clause
// Shared by the readers of matrix files: limits, cells that hold an amount, collecting diagnostics.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise::matrix {

/// A sparse file may announce any number of ranks in a few bytes. A file that announces more than this is damaged.
inline constexpr std::size_t kMostRanks = std::size_t{1} << 22;

/// Collects what is wrong with one text. Only the first diagnostics are kept; a text that is wrong throughout is not
/// read to its end.
class TextDiagnostics {
 public:
  explicit TextDiagnostics(const TextLines& lines) : lines_(lines) {}

  /// `cell` is as in TextLines::at(). Throws when there are so many diagnostics that reading on is of no use.
  void add(std::size_t line, std::string_view cell, std::string what, std::string hint = {});
  [[nodiscard]] bool empty() const { return found_.empty(); }
  void throw_if_any() const { found_.throw_if_any(); }
  [[noreturn]] void fail(std::size_t line, std::string_view cell, std::string what, std::string hint = {});

 private:
  const TextLines& lines_;
  Diagnostics found_;
};

/// The finite number of 0 or more in `cell`; else adds a diagnostic and gives 0.
[[nodiscard]] double amount(TextDiagnostics& diagnostics, std::size_t line, std::string_view cell);
/// The whole number from `least` to `most` in `cell`; else adds a diagnostic that names `what` ("a rank") and gives
/// nothing.
[[nodiscard]] std::optional<std::size_t> whole_number(TextDiagnostics& diagnostics, std::size_t line,
                                                      std::string_view cell, std::string_view what, std::size_t least,
                                                      std::size_t most);

/// An entry with 0 messages, because a matrix says how many bytes, but not in how many messages.
[[nodiscard]] TrafficEntry entry(std::size_t source, std::size_t destination, double bytes);

/// True if a text of `size` bytes can hold `count` numbers.
[[nodiscard]] constexpr bool can_hold(std::size_t size, std::size_t count) {
  return count <= size / 2 + 1;
}

/// True if `head` has none of the bytes that no text has. Noise and binary files have them, damaged text does not.
[[nodiscard]] bool is_text(std::string_view head);
/// A blank line, or one that begins with one of `marks`.
[[nodiscard]] bool is_comment(std::string_view line, std::string_view marks);

}  // namespace topowise::matrix
