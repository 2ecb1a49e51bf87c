// SPDX-License-Identifier: BSD-3-Clause
// Reading text: parts, numbers, spelling suggestions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace topowise {

[[nodiscard]] constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
/// True for a letter or digit of ASCII, whatever the locale says.
[[nodiscard]] constexpr bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);
/// One line, safe to print on a terminal: characters that would not be seen are shown by their numbers ("\u{202e}"),
/// line ends among them, broken UTF-8 as '?', TABs as a blank.
[[nodiscard]] std::string printable(std::string_view text);
/// Like printable(), for a text of several lines: line ends and TABs are kept.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// The whole of `text` as a number; nothing if anything is left over.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

/// Parts of `text` between `separator`, empty parts kept.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
/// Parts of `text` between runs of blanks and TABs; no empty parts. At most the first `most` of them: a line of a file
/// may have any number.
[[nodiscard]] std::vector<std::string_view> split_blanks(std::string_view text,
                                                         std::size_t most = static_cast<std::size_t>(-1));
/// How many parts split_blanks() finds.
[[nodiscard]] std::size_t count_words(std::string_view text);
/// The first part that split_blanks() would find. Removes it, and the blanks before it, from `rest`; empty if there is
/// none.
[[nodiscard]] std::string_view take_word(std::string_view& rest);
/// The text before the first `separator`. Removes it and the separator from `rest`. A final separator begins no part:
/// the parts of "a,b," are a and b.
[[nodiscard]] std::string_view take_part(std::string_view& rest, char separator);

/// The candidate nearest to `name` by edit distance, if it is near enough to be a slip of the finger; else the
/// first that contains it.
[[nodiscard]] std::optional<std::string> did_you_mean(std::string_view name, std::span<const std::string> candidates);
/// "unknown mapper 'tabo', did you mean 'tabu'?"
[[nodiscard]] std::string unknown_name(std::string_view kind, std::string_view name,
                                       std::span<const std::string> candidates);

}  // namespace topowise
