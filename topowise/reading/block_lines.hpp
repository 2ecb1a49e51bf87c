// SPDX-License-Identifier: BSD-3-Clause
// The lines of an input that may be larger than memory, one after the other.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/base/input.hpp>
#include <topowise/reading/located_text.hpp>

namespace topowise {

class BlockLines {
 public:
  /// A line of more than `longest` bytes is an Error(bad_input).
  explicit BlockLines(Input& input, std::size_t longest = kLongestLine) : input_(input), longest_(longest) {}

  /// Reads the next line; false at the end.
  bool next();
  /// The line without its line end (LF or CR LF). Valid until next() is called.
  [[nodiscard]] std::string_view line() const { return line_; }
  /// Number of the line, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }

  /// `cell` is a part of the line, or empty for the whole line.
  [[nodiscard]] Diagnostic at(std::string_view cell, std::string what, std::string hint = {}) const;
  /// Throws Error(bad_input) with that diagnostic.
  [[noreturn]] void fail(std::string_view cell, std::string what, std::string hint = {}) const;

 private:
  Input& input_;
  std::size_t longest_;
  std::string_view block_;  ///< read, and not yet cut into lines
  std::string_view line_;
  std::string kept_;  ///< a line that lies in several blocks
  std::size_t number_ = 0;
};

}  // namespace topowise
