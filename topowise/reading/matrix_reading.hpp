// SPDX-License-Identifier: BSD-3-Clause
// What the readers of matrix files share: limits, cells that hold an amount, collecting complaints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/graph/traffic.hpp>

namespace topowise::matrix {

/// A sparse file may announce any number of ranks in a few bytes; more than this is damage.
inline constexpr std::size_t kMostRanks = std::size_t{1} << 22;

/// Complaints about one text. The first ones are kept; a text that is wrong throughout is not read to its end.
class Complaints {
 public:
  explicit Complaints(const TextLines& lines) : lines_(lines) {}

  /// `cell` as in TextLines::at(). Throws when there have been so many that reading on is of no use.
  void add(std::size_t line, std::string_view cell, std::string what, std::string hint = {});
  [[nodiscard]] bool empty() const { return found_.empty(); }
  void throw_if_any() const { found_.throw_if_any(); }
  [[noreturn]] void fail(std::size_t line, std::string_view cell, std::string what, std::string hint = {});

 private:
  const TextLines& lines_;
  Diagnostics found_;
};

/// A finite number of 0 or more; else a complaint, and 0.
[[nodiscard]] double amount(Complaints& complaints, std::size_t line, std::string_view cell);
/// A whole number from `least` to `most`; else a complaint naming `what` ("a rank"), and nothing.
[[nodiscard]] std::optional<std::size_t> whole_number(Complaints& complaints, std::size_t line, std::string_view cell,
                                                      std::string_view what, std::size_t least, std::size_t most);

/// A matrix says how much, not in how many messages: 0 of them.
[[nodiscard]] TrafficEntry entry(std::size_t source, std::size_t destination, double bytes);

/// How many words between blanks, line ends, commas and semicolons are numbers above 0, at most: what has no digit but
/// zeros is none. For what a reader keeps of them.
[[nodiscard]] std::size_t count_amounts(std::string_view text);

/// True if a text of `size` bytes can hold `count` numbers.
[[nodiscard]] constexpr bool can_hold(std::size_t size, std::size_t count) {
  return count <= size / 2 + 1;
}

/// Entries of a list that may name a pair any number of times: those of one pair are added up before more memory is
/// taken.
class EntryList {
 public:
  /// `expected`: how many there may be. Memory is taken for `first` of them, then for all.
  explicit EntryList(std::size_t expected) : EntryList(expected, expected / 2 + 1) {}
  EntryList(std::size_t expected, std::size_t first) : expected_(expected), first_(first) {}

  void add(const TrafficEntry& entry) {
    if (entries_.size() == entries_.capacity()) make_room();
    entries_.push_back(entry);
  }
  [[nodiscard]] std::vector<TrafficEntry> take() { return std::move(entries_); }

 private:
  void make_room();
  std::size_t expected_;
  std::size_t first_;
  std::vector<TrafficEntry> entries_;
};

/// No bytes that no text has: tells noise and binary files from damaged text.
[[nodiscard]] bool is_text(std::string_view head);
/// A blank line, or one that begins with one of `marks`.
[[nodiscard]] bool is_comment(std::string_view line, std::string_view marks);

}  // namespace topowise::matrix
