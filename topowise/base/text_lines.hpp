// SPDX-License-Identifier: BSD-3-Clause
// A text cut into lines, each of which knows its position: what a reader needs to say where a mistake is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>

namespace topowise {

/// A text with a name, cut into lines. Views into `text` stay valid as long as the caller keeps that text. Only where
/// every kStep-th line begins is kept, so the lines take an eighth of a byte each; going from line to line is fast.
class TextLines {
 public:
  /// Throws Error(bad_input) for a line of more than `longest` bytes: a limit for readers that collect the words of a
  /// line.
  TextLines(std::string where, std::string_view text, std::size_t longest = static_cast<std::size_t>(-1));

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Line `index` from 0, without its line end (LF or CR LF); empty behind the last line. Not safe for several threads
  /// at once, because it remembers the last line.
  [[nodiscard]] std::string_view operator[](std::size_t index) const;
  /// A diagnostic at line `index` (from 0); `cell` must be a part of that line, or empty for the whole line.
  [[nodiscard]] Diagnostic at(std::size_t index, std::string_view cell, std::string what, std::string hint = {}) const;

 private:
  static constexpr std::size_t kStep = 64;
  /// The bytes of the line at the beginning of `text`, line end included.
  [[nodiscard]] static std::size_t length(std::string_view text);

  std::string where_;
  std::string_view text_;
  std::size_t size_ = 0;
  std::vector<std::size_t> begins_;  ///< where lines 0, kStep, 2 kStep, ... begin
  mutable std::size_t last_ = 0;     ///< the line that was asked for last, and where it begins
  mutable std::size_t last_begin_ = 0;
};

}  // namespace topowise
