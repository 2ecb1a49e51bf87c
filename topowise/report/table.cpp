// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/table.hpp>

#include <algorithm>

#include <topowise/base/text.hpp>
#include <topowise/base/utf8.hpp>

namespace topowise {
namespace {

/// Wide letters (UAX #11: W and F) of the scripts of East Asia, and emoji, take two columns; accents that join the
/// letter in front of them take none.
std::size_t columns_of(char32_t point) {
  if ((point >= 0x300 && point <= 0x36f) || point == 0x200b) return 0;
  const bool is_wide = (point >= 0x1100 && point <= 0x115f) || (point >= 0x2e80 && point <= 0xa4cf) ||
                       (point >= 0xac00 && point <= 0xd7a3) || (point >= 0xf900 && point <= 0xfaff) ||
                       (point >= 0xfe30 && point <= 0xfe6f) || (point >= 0xff00 && point <= 0xff60) ||
                       (point >= 0xffe0 && point <= 0xffe6) || (point >= 0x1f300 && point <= 0x1faff) ||
                       (point >= 0x20000 && point <= 0x3fffd);
  return is_wide ? 2 : 1;
}

}  // namespace

std::size_t display_width(const std::string& text) {
  std::size_t width = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(rest));
    width += length > 1 ? columns_of(utf8_code_point(rest.substr(0, length))) : 1;
    rest.remove_prefix(length);
  }
  return width;
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.heading = printable(column.heading);
}

std::string Table::text(const std::string& begin_heading, const std::string& end_heading) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  const auto line = [&](auto cell) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (widths[c] == 0) continue;
      const std::string& content = cell(c);
      const std::size_t width = std::max(widths[c], display_width(columns_[c].heading));
      const std::string padding(width - display_width(content), ' ');
      text += "  ";
      text += columns_[c].align == Align::right ? padding + content : content + padding;
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
  };
  std::string result = begin_heading + line([&](std::size_t c) -> const std::string& { return columns_[c].heading; }) +
                       end_heading + "\n";
  for (const auto& row : rows_) result += line([&](std::size_t c) -> const std::string& { return row[c]; }) + "\n";
  return result;
}

}  // namespace topowise
