// SPDX-License-Identifier: BSD-3-Clause
// Columns of text for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace topowise {

/// Cells in rows under a heading. Every column is as wide as its widest cell; empty columns are left out.
class Table {
 public:
  enum class Align : unsigned char { left, right };
  struct Column {
    std::string heading;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns);

  /// Adds a row with a cell for each column; missing cells are empty. Control characters are replaced, so that no name
  /// can break its row.
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// Lines without trailing blanks, each with a line end. `begin_heading` and `end_heading` are around the heading
  /// (colour). Where a line would be longer than `most`, the widest columns are made narrower and their cells broken
  /// into lines at blanks.
  [[nodiscard]] std::string text(const std::string& begin_heading = {}, const std::string& end_heading = {},
                                 std::size_t most = kNoLimit) const;

  static constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Columns that a text takes on a terminal: two for a wide letter of East Asia, none for a joining accent.
[[nodiscard]] std::size_t display_width(const std::string& text);

}  // namespace topowise
