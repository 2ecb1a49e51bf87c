// SPDX-License-Identifier: BSD-3-Clause
// A text cut into lines, each of which knows its position: what a reader needs to say where a mistake is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>

namespace topowise {

/// A text with a name, cut into lines. Views into `text` stay valid as long as the caller keeps that text.
class TextLines {
 public:
  TextLines(std::string where, std::string_view text);

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  /// Line `index` from 0, without its line end (LF or CR LF).
  [[nodiscard]] std::string_view operator[](std::size_t index) const { return lines_[index]; }
  /// A diagnostic at line `index` (from 0); `cell` must be a part of that line, or empty for the whole line.
  [[nodiscard]] Diagnostic at(std::size_t index, std::string_view cell, std::string what, std::string hint = {}) const;

 private:
  std::string where_;
  std::vector<std::string_view> lines_;
};

}  // namespace topowise
