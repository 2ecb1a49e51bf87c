// SPDX-License-Identifier: BSD-3-Clause
// Shared by the readers of pasted text: cleaning, and warnings that say where they come from.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

/// Longest line of what a program prints about one machine. Readers collect its words, so it is bounded.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;

/// `text` as a terminal would copy it: without ANSI sequences, byte order marks and characters of no width, and with
/// blanks for no-break, wide and narrow spaces. Line breaks stay where they are.
[[nodiscard]] std::string plain_text(std::string_view text);
/// The same for texts that may be large: `text` itself if there is nothing to clean, else a view into `cleaned`.
[[nodiscard]] std::string_view plain_text(std::string_view text, std::string& cleaned);

/// "FILE:LINE:COL: what", one line.
[[nodiscard]] std::string located(const Diagnostic& diagnostic);

/// Text of the input in '...', safe to print and not too long.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Throws Error(bad_input) with one diagnostic.
[[noreturn]] void fail(Diagnostic diagnostic);

/// Collects what was odd in one input. A finding that was there already is not repeated. After kMost findings only the
/// count grows, so that noise stays readable.
class Warnings {
 public:
  static constexpr std::size_t kMost = 20;

  void add(const Diagnostic& diagnostic) { add(located(diagnostic)); }
  void add(std::string text);
  /// What is assumed, in a few words, for Topology::assumptions().
  void assume(std::string text) { assumptions_.push_back(std::move(text)); }
  [[nodiscard]] bool empty() const { return texts_.empty(); }
  void pass_to(TopologyBuilder& builder) const;

 private:
  std::vector<std::string> texts_;
  std::set<std::string, std::less<>> seen_;
  std::size_t left_out_ = 0;
  std::vector<std::string> assumptions_;
};

}  // namespace topowise
