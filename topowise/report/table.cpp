// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/table.hpp>

#include <algorithm>

#include <topowise/base/text.hpp>

namespace topowise {

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
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
